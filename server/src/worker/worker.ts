import type { Logger } from "pino";
import { Lease } from "../base/lease.ts";
import { PeriodicTask } from "../base/periodic-task.ts";
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
/** The same on a shared database, which hears from every idle server. */
const SHARED_POLL_MS = 3_000;

export interface WorkerOptions {
  readonly store: Pick<Store, "launches" | "clock" | "isShared">;
  readonly launchpad: Launchpad;
  readonly log: Logger;
  readonly crashPoint?: CrashPoint | undefined;
  /** What part of a day's budget one address and one network may have. Default: any. */
  readonly shares?: LaunchShares;
  /** Agents that may get a launch started in any hour. Default: no limit. */
  readonly maxPerHour?: number;
  /** Whether no launch may be started now. Default: never. */
  readonly isPaused?: () => boolean;
  readonly concurrency: number;
  readonly leaseMs?: number | undefined;
  readonly onTried?: ((outcome: DeployOutcome, seconds: number) => void) | undefined;
}

/** Deploys launches from the queue. A crash loses nothing: work is leased, signatures stored. */
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

  /** What launches wait for while the worker pauses; null if it does not, as far as it knows. */
  get trouble(): Trouble | null {
    return this.#pause.trouble;
  }

  /** Whether launches cannot be signed for a reason that lies with neither them nor the wallet. */
  get isKeptFromSigning(): boolean {
    const reason = this.trouble?.reason;
    return reason === "chain_unavailable" || reason === "service_problem";
  }

  async start(): Promise<void> {
    const recovered = await this.#context.store.recover();
    if (recovered > 0) this.options.log.info({ recovered }, "launches taken up again");
    this.wake();
  }

  /** Reads the queue soon: a launch is answered before it is leased, and no request waits. */
  wake(): void {
    this.#polling.start();
  }

  async stop(): Promise<void> {
    await this.#polling.stop();
    await Promise.allSettled(this.#running);
  }

  /** @returns milliseconds until the next look */
  async #poll(): Promise<number> {
    if (this.#pause.remaining === 0) await this.#fill();
    const { concurrency, store } = this.options;
    // The end of a deployment wakes it.
    if (this.#running.size >= concurrency) return Number.POSITIVE_INFINITY;
    return this.#pause.remaining || (store.isShared ? SHARED_POLL_MS : POLL_MS);
  }

  /**
   * Leases one launch, and looks again in a later turn, as each lease is a commit. While launches cannot be
   * signed, one at a time tries whether that is over.
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
    // It has ended: its agent is blocked, or has its token of the day.
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
      // Nothing could be recorded: the lease runs out, and the launch is taken up again.
      this.options.log.error(
        { eventId: leased.launch.eventId, err: failure },
        "launch not settled",
      );
    }
  }
}
