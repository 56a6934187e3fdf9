import { createLog } from "../../../server/src/base/log.ts";
import { LeaseLostError } from "../../../server/src/domain/journal.ts";
import type { Launches } from "../../../server/src/store/launches.ts";
import { Worker, type WorkerOptions } from "../../../server/src/worker/worker.ts";
import type { ModelChain } from "./model-chain.ts";
import { type Deployment, ModelLaunchpad } from "./model-launchpad.ts";

const CONCURRENCY = 3;
const log = createLog("silent");

type WorkerStore = WorkerOptions["store"];

/** Whether a process runs, stands still for a while, or is dead for good. */
type ProcessState = "awake" | "frozen" | "dead";

export class ServerProcess {
  readonly #launchpad: ModelLaunchpad;
  readonly #worker: Worker;
  #state: ProcessState = "awake";
  #failures = 0;

  constructor(store: WorkerStore, chain: ModelChain) {
    this.#launchpad = new ModelLaunchpad(chain, store.clock);
    this.#worker = new Worker({
      store: { ...store, launches: this.#guard(store.launches) },
      launchpad: this.#launchpad,
      log,
      concurrency: CONCURRENCY,
    });
  }

  get isAwake(): boolean {
    return this.#state === "awake";
  }

  get isFrozen(): boolean {
    return this.#state === "frozen";
  }

  get deployments(): Deployment[] {
    return this.isAwake ? [...this.#launchpad.deployments] : [];
  }

  async start(): Promise<void> {
    await this.#worker.start();
  }

  wake(): void {
    this.#worker.wake();
  }

  freeze(): void {
    this.#state = "frozen";
  }

  thaw(): void {
    this.#state = "awake";
    this.wake();
  }

  /** Makes the next `count` calls of the store fail. */
  failWrites(count: number): void {
    this.#failures = count;
  }

  /** Ends as if it were killed: nothing that it began goes on. */
  async kill(): Promise<void> {
    this.#state = "dead";
    const stopped = this.#worker.stop();
    for (const deployment of this.#launchpad.deployments) deployment.fail(new Error("killed"));
    await stopped;
  }

  /**
   * The store as this process sees it: it rejects once the process is dead, and does nothing while
   * it is frozen.
   */
  #guard(launches: Launches): Launches {
    return new Proxy(launches, {
      get: (target, name, guarded) => {
        // What a journal writes goes through the guard too.
        if (name === "journal") return target.journal.bind(guarded);
        const method = Reflect.get(target, name) as (...values: unknown[]) => unknown;
        return async (...values: unknown[]) => {
          if (this.#state === "dead") throw new Error("the process is dead");
          if (this.#state === "frozen") {
            if (name === "recordAttempt") throw new LeaseLostError();
            return name === "lease" ? null : undefined;
          }
          if (this.#failures > 0) {
            this.#failures -= 1;
            throw new Error("the disk is full");
          }
          return method.apply(target, values);
        };
      },
    });
  }
}
