import type { Logger } from "pino";
import type { Clock } from "../base/clock.ts";
import { type Checkpoint, noCheckpoint } from "../launchpad/checkpoint.ts";
import type { Launchpad } from "../launchpad/launchpad.ts";
import type { LaunchStore } from "../store/launches.ts";
import { BackOff } from "./back-off.ts";
import { deploy } from "./deploy.ts";
import { LEASE_MS, type Lease, takeNext } from "./lease.ts";
import { type SettleContext, settleDeployed, settleFault } from "./settle.ts";

/** The longest that the queue goes unlooked at, in milliseconds. */
const POLL_MS = 1_000;

export interface WorkerOptions {
  readonly store: LaunchStore;
  readonly launchpad: Launchpad;
  readonly clock: Clock;
  readonly log: Logger;
  readonly checkpoint?: Checkpoint;
  /** How many launches are deployed side by side. */
  readonly concurrency: number;
}

/**
 * Deploys launches from the database's queue. It keeps nothing in memory that a restart would
 * miss: what it holds is leased, and what was signed is stored.
 */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #backOff: BackOff;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #woken = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#backOff = new BackOff(options.clock);
  }

  /** Frees what a former process held, and begins. */
  start(): void {
    const recovered = this.#options.store.recover();
    if (recovered > 0) this.#options.log.info({ recovered }, "launches taken up again");
    this.wake();
  }

  /** Looks at the queue soon. Called whenever there may be something to do. */
  wake(): void {
    if (this.#woken) return;
    this.#woken = true;
    // After what is at hand, and once however often it was called: a launch is answered before it
    // is taken, and the queue never keeps requests waiting.
    setImmediate(() => {
      this.#woken = false;
      this.#look();
    });
  }

  /** Takes no more launches, and waits until those in hand are at rest. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stop.abort();
    await Promise.allSettled(this.#running);
  }

  /** Takes what is due, where there is room. */
  #look(): void {
    clearTimeout(this.#timer);
    if (this.#stop.signal.aborted) return;
    const paused = this.#backOff.remaining;
    if (paused === 0) this.#fill();
    if (this.#running.size < this.#options.concurrency) {
      this.#timer = setTimeout(() => this.wake(), Math.min(POLL_MS, paused || POLL_MS));
    }
  }

  /** Takes one launch, and the next in a later turn: each is a commit, and requests wait for it. */
  #fill(): void {
    const { store, clock, concurrency, log } = this.#options;
    const room = this.#backOff.inTrouble ? 1 : concurrency;
    if (this.#running.size >= room) return;
    try {
      const taken = takeNext(store, clock);
      if (taken === null) return;
      this.wake();
      if (taken === "limited") return;
      const run = this.#run(taken).finally(() => {
        this.#running.delete(run);
        this.wake();
      });
      this.#running.add(run);
    } catch (error) {
      // The database may be full or locked for a while: the queue is looked at again later.
      log.error({ err: error }, "no launch could be taken");
    }
  }

  async #run(lease: Lease): Promise<void> {
    const { store, launchpad, clock, log, checkpoint = noCheckpoint } = this.#options;
    const context: SettleContext = { store, clock, backOff: this.#backOff, log };
    const renewal = setInterval(() => this.#renew(lease), LEASE_MS / 3);
    try {
      await checkpoint("launch.leased");
      const token = await deploy(lease, store, launchpad, clock, this.#stop.signal);
      await checkpoint("launch.recording");
      settleDeployed(lease, token, context);
    } catch (fault) {
      this.#settleFault(lease, fault, context);
    } finally {
      clearInterval(renewal);
    }
  }

  #renew({ id, launch }: Lease): void {
    const { store, clock, log } = this.#options;
    try {
      store.renew(launch.eventId, id, clock.now() + LEASE_MS);
    } catch (error) {
      log.error({ eventId: launch.eventId, err: error }, "lease not renewed");
    }
  }

  #settleFault(lease: Lease, fault: unknown, context: SettleContext): void {
    const { store, clock } = this.#options;
    try {
      if (this.#stop.signal.aborted) store.postpone(lease.launch.eventId, lease.id, clock.now());
      else settleFault(lease, fault, context);
    } catch (error) {
      // Nothing could be recorded: the lease runs out, and the launch is taken up again.
      this.#options.log.error({ eventId: lease.launch.eventId, err: error }, "launch not settled");
    }
  }
}
