import { errorCodes } from "@tokenctl/shared/error-codes";
import { ServiceError } from "../../../server/src/base/service-error.ts";
import { LaunchService } from "../../../server/src/modules/launches/service.ts";
import { Launches } from "../../../server/src/store/launches.ts";
import { SqliteDatabase } from "../../../server/src/store/sqlite/database.ts";
import { openDatabase } from "../../../server/src/store/sqlite/store.ts";
import { ManualClock } from "../../../server/src/testing/manual-clock.ts";
import { turns } from "../../../server/src/testing/scripted-launchpad.ts";
import { inspect } from "./inspect.ts";
import { ModelChain } from "./model-chain.ts";
import type { Deployment } from "./model-launchpad.ts";
import { Promises } from "./promises.ts";
import { ServerProcess } from "./server-process.ts";

/** Just before midnight, so that many histories pass it. */
const START = Date.UTC(2026, 2, 1, 23, 59, 50);
const STEP_MS = 5_000;
/** Once nothing goes wrong any more, every launch ends within this time. */
const REST_MS = 15 * 60_000;

/**
 * The service's store and worker on a model of the chain, and everything that can happen to them.
 */
export class World implements AsyncDisposable {
  readonly chain = new ModelChain();
  readonly clock = new ManualClock(START);
  readonly promises = new Promises();
  readonly #db = openDatabase(":memory:");
  readonly #store = {
    launches: new Launches(new SqliteDatabase(this.#db, this.clock), {
      onEnded: () => {},
      onEvents: () => {},
    }),
    clock: this.clock,
    isShared: false,
  };
  readonly #service = new LaunchService(this.#store, () => this.#current.wake());
  readonly #frozen: ServerProcess[] = [];
  #current = this.#newProcess();

  static async open(): Promise<World> {
    const world = new World();
    await world.#current.start();
    await world.runAndInspect();
    return world;
  }

  get deployments(): Deployment[] {
    return [...this.#frozen, this.#current].flatMap(({ deployments }) => deployments);
  }

  get hasFrozen(): boolean {
    return this.#frozen.some(({ isFrozen }) => isFrozen);
  }

  async accept(wallet: string, ticker: string, key: string | null): Promise<void> {
    const name = `${ticker} token`;
    try {
      const { eventId } = await this.#service.register(
        wallet,
        { name, ticker },
        { idempotencyKey: key },
      );
      this.promises.accepted(eventId, wallet, ticker, key, this.clock.now());
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.promises.refused(wallet, ticker, key, error.wireCode, this.clock.now());
    }
  }

  async retry(eventId: string): Promise<void> {
    const { wallet } = this.promises.of(eventId);
    try {
      await this.#service.retry(wallet, eventId);
      this.promises.retried(eventId, this.clock.now());
    } catch (error) {
      if (!(error instanceof ServiceError) || errorCodes[error.wireCode].status !== 409)
        throw error;
      this.promises.notRetried(eventId, this.clock.now());
    }
  }

  async cancel(eventId: string): Promise<void> {
    const { wallet } = this.promises.of(eventId);
    const wasSigned = this.chain.hasSigned(eventId);
    try {
      await this.#service.cancel(wallet, eventId);
      this.promises.cancelled(eventId);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.wireCode !== "not_cancellable") throw error;
      this.promises.notCancelled(eventId, wasSigned);
    }
  }

  async pass(milliseconds: number): Promise<void> {
    for (let left = milliseconds; left > 0; left -= STEP_MS) {
      const step = Math.min(STEP_MS, left);
      this.clock.advance(step);
      await this.runAndInspect();
    }
  }

  async setClock(to: number): Promise<void> {
    this.clock.set(to - 1_000);
    this.clock.advance(1_000);
  }

  failWrites(count: number): void {
    this.#current.failWrites(count);
  }

  async restart(): Promise<void> {
    for (const process of [...this.#frozen.splice(0), this.#current]) await process.kill();
    this.#current = this.#newProcess();
    await this.#current.start();
  }

  freeze(): void {
    this.#current.freeze();
    this.#frozen.push(this.#current);
    this.#current = this.#newProcess();
    this.#current.wake();
  }

  thaw(): void {
    this.#frozen.find(({ isFrozen }) => isFrozen)?.thaw();
  }

  /** Lets everything run that can, then checks what must always hold. */
  async runAndInspect(): Promise<void> {
    await turns();
    inspect(this.#db, this.chain, this.promises, this.clock);
  }

  /** Lets everything go well until every launch has ended. */
  async comeToRest(): Promise<void> {
    for (let waited = 0; this.promises.pending.length > 0; waited += STEP_MS) {
      if (waited > REST_MS) throw new Error(`${this.promises.pending} never end`);
      await this.#goOn();
      await this.pass(STEP_MS);
    }
    // A process that wakes up now has nothing left to do.
    while (this.hasFrozen) {
      this.thaw();
      await this.runAndInspect();
    }
    while (this.deployments.length > 0) await this.#goOn();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const process of [...this.#frozen, this.#current]) await process.kill();
    this.#db.close();
  }

  async #goOn(): Promise<void> {
    for (const transaction of this.chain.waiting) transaction.outcome = "landed";
    for (const deployment of this.deployments) deployment.proceed();
    await this.runAndInspect();
  }

  #newProcess(): ServerProcess {
    return new ServerProcess(this.#store, this.chain);
  }
}
