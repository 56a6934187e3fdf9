import { createLog } from "../../base/log.ts";
import { ChainUnavailableError } from "../../launchpad/errors.ts";
import type { Store } from "../../store/store.ts";
import { newAttempt } from "../../store/testing/rows.ts";
import { ScriptedLaunchpad, turns } from "../../testing/scripted-launchpad.ts";
import { type TempStore, tempStore } from "../../testing/temp-store.ts";
import { Worker } from "../worker.ts";

/** An error that concerns all launches: no agent can have caused it. */
export const outage = () => new ChainUnavailableError("No answer", undefined, { isOutage: true });

export class TestWorker implements AsyncDisposable {
  readonly temp: TempStore = tempStore();
  readonly chain = new ScriptedLaunchpad();
  isPaused = false;
  readonly #first: Worker;
  readonly #workers: Worker[] = [];

  constructor(concurrency = 4) {
    this.#first = this.addWorker(this.temp.store, concurrency);
  }

  /** Starts another worker on the same chain and, by default, the same store. */
  addWorker(store: Store = this.temp.store, concurrency = 4): Worker {
    const log = createLog("silent");
    const worker = new Worker({
      store,
      launchpad: this.chain,
      log,
      concurrency,
      isPaused: () => this.isPaused,
    });
    this.#workers.push(worker);
    return worker;
  }

  async start(worker = this.#first): Promise<void> {
    await worker.start();
    await turns();
  }

  async wake(worker = this.#first): Promise<void> {
    worker.wake();
    await turns();
  }

  stop(): Promise<void> {
    return this.#first.stop();
  }

  /**
   * Deploys the launch of the n-th call of `deploy`, from 0: its attempt is stored, and it lands.
   */
  async deploy(index: number): Promise<void> {
    const { order, journal } = this.chain.call(index);
    await journal.record(newAttempt(order.ticker));
    await this.resolve(index);
  }

  /** Ends the n-th call of `deploy` with the token of its launch. */
  async resolve(index: number): Promise<void> {
    const { order, resolve } = this.chain.call(index);
    resolve(newAttempt(order.ticker));
    await turns();
  }

  /** Ends the n-th call of `deploy` with an error. */
  async reject(index: number, error: unknown): Promise<void> {
    this.chain.call(index).reject(error);
    await turns();
  }

  find(eventId: string, wallet = "agent") {
    return this.temp.store.launches.find(wallet, eventId);
  }

  async status(eventId: string, wallet = "agent") {
    return (await this.find(eventId, wallet))?.status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const call of this.chain.deploys) call.reject(new Error("the test is over"));
    for (const worker of this.#workers) await worker.stop();
    this.temp[Symbol.dispose]();
  }
}
