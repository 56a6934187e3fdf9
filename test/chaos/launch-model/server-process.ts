import type { Clock } from "../../../server/src/base/clock.ts";
import { createLog } from "../../../server/src/base/log.ts";
import type { LaunchStore } from "../../../server/src/store/launches.ts";
import { Worker } from "../../../server/src/worker/worker.ts";
import type { ModelChain } from "./model-chain.ts";
import { type Deployment, ModelLaunchpad } from "./model-launchpad.ts";

const CONCURRENCY = 3;
const log = createLog("silent");

/** What goes on in a process: everything, nothing for a while, or nothing ever again. */
type Liveliness = "awake" | "frozen" | "dead";

/** A process with the real worker, which can freeze and die at any moment. */
export class ServerProcess {
  readonly #launchpad: ModelLaunchpad;
  readonly #worker: Worker;
  #liveliness: Liveliness = "awake";
  #failures = 0;

  constructor(launches: LaunchStore, chain: ModelChain, clock: Clock) {
    this.#launchpad = new ModelLaunchpad(chain, clock);
    this.#worker = new Worker({
      store: this.#guard(launches),
      launchpad: this.#launchpad,
      clock,
      log,
      concurrency: CONCURRENCY,
    });
  }

  get isAwake(): boolean {
    return this.#liveliness === "awake";
  }

  get isFrozen(): boolean {
    return this.#liveliness === "frozen";
  }

  get deployments(): Deployment[] {
    return this.isAwake ? [...this.#launchpad.deployments] : [];
  }

  /** Begins as a server does that is alone with its database. */
  start(): void {
    this.#worker.start();
  }

  /** Begins beside another that does not stir. */
  wake(): void {
    this.#worker.wake();
  }

  freeze(): void {
    this.#liveliness = "frozen";
  }

  thaw(): void {
    this.#liveliness = "awake";
    this.wake();
  }

  /** The next so many writes to the database fail. */
  failWrites(count: number): void {
    this.#failures = count;
  }

  /** Ends like a process that is killed: nothing that it had begun goes on. */
  async kill(): Promise<void> {
    this.#liveliness = "dead";
    const stopped = this.#worker.stop();
    for (const deployment of this.#launchpad.deployments) deployment.fail(new Error("killed"));
    await stopped;
  }

  /** The store as this process sees it: out of reach once it is dead, untouched while frozen. */
  #guard(launches: LaunchStore): LaunchStore {
    return new Proxy(launches, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...values: unknown[]) => unknown;
        return (...values: unknown[]) => {
          if (this.#liveliness === "dead") throw new Error("the process is dead");
          if (this.#liveliness === "frozen") return name === "lease" ? null : undefined;
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
