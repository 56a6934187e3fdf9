import type { WaitingFor } from "@tokenctl/shared/types";
import type { Logger } from "pino";
import { type Clock, Lease, PeriodicTask } from "../base/clock.ts";
import type { LaunchShares } from "../domain/intake-limits.ts";
import { LeaseLostError, StartRefusedError } from "../domain/journal.ts";
import type { Trouble } from "../domain/launch.ts";
import type { Launchpad } from "../launchpad/chain/chain-launchpad.ts";
import type { CrashPoint } from "../launchpad/crash-point.ts";
import {
  ChainUnavailableError,
  DailyBudgetSpentError,
  LaunchRefusedError,
  LaunchWalletError,
} from "../launchpad/errors.ts";
import { LONGEST_DELAY_MS, type StartLimits } from "../store/launch-queue.ts";
import type { LaunchRow } from "../store/launch-row.ts";
import type { Launches } from "../store/launches.ts";
import type { Store } from "../store/store.ts";

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
}

/** Deploys launches from the queue. A crash loses nothing: leases expire, signatures are stored. */
export class Worker {
  readonly #pause: BackOff;
  readonly #polling: PeriodicTask;
  readonly #running = new Set<Promise<void>>();

  constructor(private readonly options: WorkerOptions) {
    const { store, log } = options;
    this.#pause = new BackOff(store.clock);
    this.#polling = new PeriodicTask({
      clock: store.clock,
      run: () => this.#poll(),
      // The database may be full or locked for a while.
      onError: (error) => log.error({ err: error }, "no launch could be leased"),
      retryMs: [POLL_MS, POLL_MS],
    });
  }

  get trouble(): Trouble | null {
    return this.#pause.trouble;
  }

  /** Whether the chain or the service, not the wallet, keeps launches from being signed. */
  get isKeptFromSigning(): boolean {
    const reason = this.trouble?.reason;
    return reason === "chain_unavailable" || reason === "service_problem";
  }

  async start(): Promise<void> {
    const recovered = await this.options.store.launches.recover();
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
    const { concurrency, store, log, isPaused, maxPerHour, leaseMs } = this.options;
    const room = this.#pause.trouble === null ? concurrency : 1;
    if (this.#running.size >= room) return;
    const lease = new Lease(leaseMs);
    const leased = await leaseNext(store.launches, lease, {
      isPaused: isPaused?.() ?? false,
      maxPerHour: maxPerHour ?? Number.POSITIVE_INFINITY,
    });
    if (leased === null) return;
    this.wake();
    if (leased === "ended") return;
    if (this.#polling.signal.aborted) return this.#giveBack(leased);
    const { eventId } = leased.launch;
    const deploying = lease.during(() => this.#deploy(leased), {
      clock: store.clock,
      renew: () => store.launches.renew(eventId, lease.id, lease.ms),
      onError: (error) => log.error({ eventId, err: error }, "lease not renewed"),
    });
    const run = deploying.finally(() => {
      this.#running.delete(run);
      this.wake();
    });
    this.#running.add(run);
  }

  async #giveBack({ id, launch }: LeasedLaunch): Promise<void> {
    await this.options.store.launches.postpone(launch.eventId, id, { delayMs: 0 });
  }

  async #deploy(leased: LeasedLaunch): Promise<void> {
    const { launchpad, crashPoint, store, shares = null, log } = this.options;
    const { id, launch } = leased;
    try {
      await crashPoint?.("launch.leased");
      const journal = store.launches.journal(launch, id, shares);
      const token = await launchpad.deploy(launch, journal, this.#polling.signal);
      await crashPoint?.("launch.recording");
      this.#pause.end();
      const isRecorded = await store.launches.succeed(launch, { leaseId: id }, token);
      const about = { eventId: launch.eventId, wallet: launch.wallet, ...token };
      if (isRecorded) log.info(about, "launch deployed");
      else log.warn(about, "launch deployed, but its lease was lost; the new holder records it");
    } catch (error) {
      const settling = this.#polling.signal.aborted
        ? this.#giveBack(leased)
        : this.#settleError(leased, error);
      // If nothing is recorded, the lease expires, and a worker retries the launch.
      await settling.catch((failure: unknown) =>
        log.error({ eventId: launch.eventId, err: failure }, "launch not settled"),
      );
    }
  }

  /** Other launches pause only for an outage that no agent's bytes can have caused, or for SOL. */
  async #settleError(leased: LeasedLaunch, error: unknown): Promise<void> {
    const { id, launch } = leased;
    const { log, store } = this.options;
    const { eventId, wallet, attempts } = launch;
    const about = { eventId, wallet };
    const postpone = (until: Parameters<Launches["postpone"]>[2]) =>
      store.launches.postpone(eventId, id, until);
    if (error instanceof LeaseLostError) {
      log.warn(about, "lease lost while deploying");
    } else if (error instanceof StartRefusedError) {
      this.#pause.end();
      const refusal = error.reason;
      if (refusal === "launched_today") return store.launches.refuse(wallet, id, refusal);
      log.warn({ ...about, refusal }, "launch put off");
      // Other launches continue: a network with its share of the budget waits for the next day alone.
      await (refusal === "share_used"
        ? postpone({ delayMs: LONGEST_DELAY_MS, reason: "daily_budget_spent" })
        : postpone({ delayMs: FIRST_MS, reason: "deployment" }));
    } else if (error instanceof LaunchRefusedError) {
      this.#pause.end();
      log.error({ ...about, err: error }, "launch refused by the chain");
      await store.launches.fail(eventId, id, error);
    } else {
      const reason = waitReason(error);
      const isOutage = error instanceof ChainUnavailableError && error.isOutage;
      const isForAll = isOutage || error instanceof LaunchWalletError;
      const ownDelayMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempts - 1, 10));
      const delayMs = isForAll ? this.#pause.begin(reason) : ownDelayMs;
      const level = reason === "service_problem" ? "error" : "warn";
      log[level]({ ...about, err: error }, "launch put off");
      await postpone({ delayMs, reason });
    }
  }
}

interface LeasedLaunch {
  readonly id: string;
  readonly launch: LaunchRow;
}

/**
 * Leases the next launch. If its agent is blocked or has launched this UTC day, ends all of the
 * agent's waiting launches. A launch with an undecided transaction keeps the day in which it was
 * signed. @returns null if nothing is due, "ended" if the launch was ended
 */
export async function leaseNext(
  store: Launches,
  { id, ms }: Lease = new Lease(),
  starts: StartLimits = {},
): Promise<LeasedLaunch | "ended" | null> {
  const launch = await store.lease(id, ms, starts);
  if (!launch) return null;
  const { eventId, wallet, signature, day, attempts } = launch;
  if (signature !== null) return { id, launch };
  // An earlier attempt may have reserved lamports and signed nothing; this one may reserve none.
  if (attempts > 1) await store.settle(eventId, id, 0n);
  const refusal = day === null ? null : await store.startRefusal(wallet, day);
  if (refusal === null) return { id, launch };
  await store.refuse(wallet, id, refusal);
  return "ended";
}

function waitReason(error: unknown): WaitingFor {
  if (error instanceof DailyBudgetSpentError) return "daily_budget_spent";
  if (error instanceof LaunchWalletError) return "launch_wallet_short";
  if (error instanceof ChainUnavailableError) return "chain_unavailable";
  return "service_problem";
}

const FIRST_MS = 1_000;
/** Work continues well within a minute after the chain is back. */
const LONGEST_MS = 15_000;

/** Pauses launches. After a pause, a single launch tests whether the reason is over. */
export class BackOff {
  #delay = 0;
  #until = 0;
  /** Why the last attempt was put off; null if it was not. */
  trouble: Trouble | null = null;

  constructor(private readonly clock: Clock) {}

  get remaining(): number {
    return Math.max(0, this.#until - this.clock.elapsed());
  }

  /** Begins a pause twice as long as the last, or joins one. @returns milliseconds until its end */
  begin(reason: Trouble["reason"]): number {
    if (this.trouble?.reason !== reason) this.trouble = { reason, since: this.clock.now() };
    if (this.remaining === 0) {
      this.#delay = Math.min(LONGEST_MS, Math.max(FIRST_MS, this.#delay * 2));
      this.#until = this.clock.elapsed() + this.#delay;
    }
    return this.remaining;
  }

  end(): void {
    this.#delay = 0;
    this.#until = 0;
    this.trouble = null;
  }
}
