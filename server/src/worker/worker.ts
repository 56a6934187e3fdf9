import type { Logger } from "pino";
import type { Clock } from "../base/clock.ts";
import { type CrashPoint, noCrashPoint } from "../launchpad/crash-point.ts";
import type { Launchpad } from "../launchpad/launchpad.ts";
import type { LaunchStore } from "../store/launches.ts";
import { BackOff } from "./back-off.ts";
import type { WorkerContext } from "./context.ts";
import { deploy } from "./deploy.ts";
import { LEASE_MS, type Lease, leaseNext } from "./lease.ts";
import { releaseLaunch } from "./postpone.ts";
import { settleError } from "./settle.ts";
import { succeedLaunch } from "./succeed.ts";

/** The longest time between two reads of the queue, in milliseconds. */
const POLL_MS = 1_000;

export interface WorkerOptions {
  readonly store: LaunchStore;
  readonly launchpad: Launchpad;
  readonly clock: Clock;
  readonly log: Logger;
  readonly crashPoint?: CrashPoint;
  /** How many launches are deployed at the same time. */
  readonly concurrency: number;
}

/**
 * Deploys launches from the database's queue. A crash loses nothing that the worker keeps in
 * memory: what it works on is leased, and what it signed is stored.
 */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #context: WorkerContext;
  readonly #backOff: BackOff;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #woken = false;

  constructor(options: WorkerOptions) {
    const { store, clock, log } = options;
    this.#options = options;
    this.#backOff = new BackOff(clock);
    this.#context = { store, clock, log, backOff: this.#backOff };
  }

  /** Frees the leases of an earlier process, and begins. */
  start(): void {
    const recovered = this.#options.store.recover();
    if (recovered > 0) this.#options.log.info({ recovered }, "launches taken up again");
    this.wake();
  }

  /** Reads the queue soon. Call it whenever there may be something to do. */
  wake(): void {
    if (this.#woken) return;
    this.#woken = true;
    // In a later turn, and once for many calls: a launch is answered before it is leased, and the
    // queue keeps no request waiting.
    setImmediate(() => {
      this.#woken = false;
      this.#poll();
    });
  }

  /** Leases no more launches, and waits until those in progress have come to rest. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    this.#stop.abort();
    await Promise.allSettled(this.#running);
  }

  /** Leases what is due, if there is room. */
  #poll(): void {
    clearTimeout(this.#timer);
    if (this.#stop.signal.aborted) return;
    const paused = this.#backOff.remaining;
    if (paused === 0) this.#fill();
    if (this.#running.size < this.#options.concurrency) {
      this.#timer = setTimeout(() => this.wake(), Math.min(POLL_MS, paused || POLL_MS));
    }
  }

  /**
   * Leases one launch, and the next in a later turn: each lease is a commit, and requests wait for
   * it.
   */
  #fill(): void {
    const { store, clock, concurrency, log } = this.#options;
    const room = this.#backOff.inTrouble ? 1 : concurrency;
    if (this.#running.size >= room) return;
    try {
      const leased = leaseNext(store, clock);
      if (leased === null) return;
      this.wake();
      if (leased === "rate_limited") return;
      const run = this.#run(leased).finally(() => {
        this.#running.delete(run);
        this.wake();
      });
      this.#running.add(run);
    } catch (error) {
      // The database may be full or locked for a while: the next poll tries again.
      log.error({ err: error }, "no launch could be leased");
    }
  }

  async #run(lease: Lease): Promise<void> {
    const { store, launchpad, clock, crashPoint = noCrashPoint } = this.#options;
    const renewal = setInterval(() => this.#renew(lease), LEASE_MS / 3);
    try {
      await crashPoint("launch.leased");
      const token = await deploy(lease, store, launchpad, clock, this.#stop.signal);
      await crashPoint("launch.recording");
      succeedLaunch(lease, token, this.#context);
    } catch (error) {
      this.#settleError(lease, error);
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

  #settleError(lease: Lease, error: unknown): void {
    try {
      if (this.#stop.signal.aborted) releaseLaunch(lease, this.#context);
      else settleError(lease, error, this.#context);
    } catch (failure) {
      // Nothing could be recorded: the lease runs out, and the launch is taken up again.
      this.#options.log.error(
        { eventId: lease.launch.eventId, err: failure },
        "launch not settled",
      );
    }
  }
}
