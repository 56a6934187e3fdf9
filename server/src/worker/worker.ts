import type { Logger } from "pino";
import { Lease, PeriodicTask } from "../base/clock.ts";
import type { LaunchShares } from "../domain/intake-limits.ts";
import type { DeployOutcome, Trouble } from "../domain/launch.ts";
import type { Launchpad } from "../launchpad/chain/chain-launchpad.ts";
import type { CrashPoint } from "../launchpad/crash-point.ts";
import type { Store } from "../store/store.ts";
import {
  BackOff,
  deployOutcome,
  type LeasedLaunch,
  leaseNext,
  settleError,
  succeedLaunch,
  type WorkerContext,
} from "./transitions.ts";

const POLL_MS = 1_000;
/** The interval on a shared database, which every idle server polls. */
const SHARED_POLL_MS = 3_000;

export interface WorkerOptions {
  readonly store: Pick<Store, "launches" | "clock" | "isShared">;
  readonly launchpad: Launchpad;
  readonly log: Logger;
  readonly crashPoint?: CrashPoint | undefined;
  /** The share of a day's budget for each address and network. Default: no limit. */
  readonly shares?: LaunchShares;
  /** At most this many agents start a launch in any hour. Default: no limit. */
  readonly maxPerHour?: number;
  /** Whether launches are paused. Default: never. */
  readonly isPaused?: () => boolean;
  readonly concurrency: number;
  readonly leaseMs?: number | undefined;
  readonly onTried?: ((outcome: DeployOutcome, seconds: number) => void) | undefined;
}

/** Deploys launches from the queue. A crash loses nothing: leases expire, signatures are stored. */
export class Worker {
  readonly #context: WorkerContext;
  readonly #pause: BackOff;
  readonly #polling: PeriodicTask;
  readonly #running = new Set<Promise<void>>();
  constructor(private readonly options: WorkerOptions) {
    const { store, log, shares = null } = options;
    this.#pause = new BackOff(store.clock);
    this.#context = { store: store.launches, shares, log, pause: this.#pause };
    this.#polling = new PeriodicTask({
      clock: store.clock,
      run: () => this.#poll(),
      // The database may be full or locked for a while.
      onError: (error) => log.error({ err: error }, "no launch could be leased"),
      retryMs: [POLL_MS, POLL_MS],
    });
  }

  /** What launches wait for while this worker pauses; null if it does not pause. */
  get trouble(): Trouble | null {
    return this.#pause.trouble;
  }

  /** Whether the chain or the service, not the wallet, keeps launches from being signed. */
  get isKeptFromSigning(): boolean {
    const reason = this.trouble?.reason;
    return reason === "chain_unavailable" || reason === "service_problem";
  }

  async start(): Promise<void> {
    const recovered = await this.#context.store.recover();
    if (recovered > 0) this.options.log.info({ recovered }, "launches taken up again");
    this.wake();
  }

  /** Makes the worker read the queue soon, after the request that calls this is answered. */
  wake(): void {
    this.#polling.start();
  }

  async stop(): Promise<void> {
    await this.#polling.stop();
    await Promise.allSettled(this.#running);
  }

  /** @returns milliseconds until the next poll */
  async #poll(): Promise<number> {
    if (this.#pause.remaining === 0) await this.#fill();
    const { concurrency, store } = this.options;
    // The end of a deployment wakes the worker.
    if (this.#running.size >= concurrency) return Number.POSITIVE_INFINITY;
    return this.#pause.remaining || (store.isShared ? SHARED_POLL_MS : POLL_MS);
  }

  /**
   * Leases one launch and wakes the worker for the next one, because each lease is a commit. While
   * launches cannot be signed, only one at a time tests whether that is over.
   */
  async #fill(): Promise<void> {
    const { concurrency, store, isPaused, maxPerHour, leaseMs } = this.options;
    const room = this.#pause.trouble === null ? concurrency : 1;
    if (this.#running.size >= room) return;
    const lease = new Lease(leaseMs);
    const leased = await leaseNext(store.launches, lease, {
      isPaused: isPaused?.() ?? false,
      maxPerHour: maxPerHour ?? Number.POSITIVE_INFINITY,
    });
    if (leased === null) return;
    this.wake();
    // The launch has ended: its agent is blocked, or has launched today.
    if (typeof leased === "string") return;
    if (this.#polling.signal.aborted) return this.#giveBack(leased);
    const run = this.#run(lease, leased).finally(() => {
      this.#running.delete(run);
      this.wake();
    });
    this.#running.add(run);
  }

  #run(lease: Lease, leased: LeasedLaunch): Promise<void> {
    const { store, log } = this.options;
    const { eventId } = leased.launch;
    return lease.during(() => this.#deploy(leased), {
      clock: store.clock,
      renew: () => store.launches.renew(eventId, lease.id, lease.ms),
      onError: (error) => log.error({ eventId, err: error }, "lease not renewed"),
    });
  }

  async #giveBack({ id, launch }: LeasedLaunch): Promise<void> {
    await this.#context.store.postpone(launch.eventId, id, { delayMs: 0 });
  }

  async #deploy(leased: LeasedLaunch): Promise<void> {
    const { launchpad, crashPoint } = this.options;
    const { store, shares } = this.#context;
    try {
      await crashPoint?.("launch.leased");
      const journal = store.journal(leased.launch, leased.id, shares);
      const token = await this.#measured(() =>
        launchpad.deploy(leased.launch, journal, this.#polling.signal),
      );
      await crashPoint?.("launch.recording");
      await succeedLaunch(leased, token, this.#context);
    } catch (error) {
      await this.#settleError(leased, error);
    }
  }

  async #measured<T>(deploy: () => Promise<T>): Promise<T> {
    const started = performance.now();
    const report = (outcome: DeployOutcome) =>
      this.options.onTried?.(outcome, (performance.now() - started) / 1000);
    try {
      const token = await deploy();
      report("deployed");
      return token;
    } catch (error) {
      report(deployOutcome(error));
      throw error;
    }
  }

  async #settleError(leased: LeasedLaunch, error: unknown): Promise<void> {
    try {
      if (this.#polling.signal.aborted) await this.#giveBack(leased);
      else await settleError(leased, error, this.#context);
    } catch (failure) {
      // Nothing was recorded: the lease expires, and a worker retries the launch.
      this.options.log.error(
        { eventId: leased.launch.eventId, err: failure },
        "launch not settled",
      );
    }
  }
}
