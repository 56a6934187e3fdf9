import { launchedTodayText } from "@tokenctl/shared/error-codes";
import type { WaitingFor } from "@tokenctl/shared/types";
import type { Logger } from "pino";
import { type Clock, Lease } from "../base/clock.ts";
import type { LaunchShares } from "../domain/intake-limits.ts";
import { LeaseLostError, type StartRefusal, StartRefusedError } from "../domain/journal.ts";
import type { DeployOutcome, Trouble } from "../domain/launch.ts";
import type { TokenRef } from "../domain/token.ts";
import {
  ChainUnavailableError,
  DailyBudgetSpentError,
  LaunchRefusedError,
  LaunchWalletError,
} from "../launchpad/errors.ts";
import { LONGEST_DELAY_MS, type StartLimits } from "../store/launch-queue.ts";
import type { LaunchRow } from "../store/launch-row.ts";
import type { Launches } from "../store/launches.ts";

export interface LeasedLaunch {
  /** The lease's id. */
  readonly id: string;
  readonly launch: LaunchRow;
}

export interface WorkerContext {
  readonly store: Launches;
  /** The share of a day's budget for each address and network; null for no limit. */
  readonly shares: LaunchShares | null;
  readonly pause: BackOff;
  readonly log: Logger;
}

/**
 * Leases the next launch. If its agent is blocked or has launched this UTC day, ends all of the
 * agent's waiting launches. A launch with an undecided transaction keeps the day in which it was
 * signed. @returns null if nothing is due, "rate_limited" or "refused" if the launch was ended
 */
export async function leaseNext(
  store: Launches,
  { id, ms }: Lease = new Lease(),
  starts: StartLimits = {},
): Promise<LeasedLaunch | "rate_limited" | "refused" | null> {
  const launch = await store.lease(id, ms, starts);
  if (!launch) return null;
  const { eventId, wallet, signature, day, attempts } = launch;
  if (signature !== null) return { id, launch };
  // An earlier attempt may have reserved lamports and signed nothing; this one may reserve none.
  if (attempts > 1) await store.settle(eventId, id, 0n);
  const refusal = day === null ? null : await store.startRefusal(wallet, day);
  if (refusal === null) return { id, launch };
  if (refusal === "blocked") {
    await store.refuse(wallet, id, "The service's operator has blocked the wallet");
    return "refused";
  }
  await store.limit(wallet, id, launchedTodayText);
  return "rate_limited";
}

export async function succeedLaunch(
  { id, launch }: LeasedLaunch,
  token: TokenRef,
  { store, pause, log }: WorkerContext,
): Promise<void> {
  pause.end();
  const isRecorded = await store.succeed(launch, { leaseId: id }, token);
  const about = { eventId: launch.eventId, wallet: launch.wallet, ...token };
  if (isRecorded) log.info(about, "launch deployed");
  else log.warn(about, "launch deployed, but its lease was lost; the new holder records it");
}

/**
 * Records why a deployment failed. A launch ends `failed` only if the chain refused it for good,
 * `rate_limited` only if its agent has launched today, and otherwise stays pending. Other launches
 * pause only for an outage that no agent's bytes can have caused, or for the launch wallet.
 */
export async function settleError(
  leased: LeasedLaunch,
  error: unknown,
  context: WorkerContext,
): Promise<void> {
  const { id, launch } = leased;
  const { store, pause, log } = context;
  const { eventId, wallet, attempts } = launch;
  const about = { eventId, wallet };
  if (error instanceof LeaseLostError) {
    log.warn(about, "lease lost while deploying");
  } else if (error instanceof StartRefusedError) {
    pause.end();
    await settleRefusal(leased, error.reason, context);
  } else if (error instanceof LaunchRefusedError) {
    pause.end();
    log.error({ ...about, err: error }, "launch refused by the chain");
    await store.fail(eventId, id, error);
  } else {
    const reason = waitReason(error);
    const delayMs = concernsAll(error) ? pause.begin(reason) : backOffMs(attempts);
    const level = reason === "service_problem" ? "error" : "warn";
    log[level]({ ...about, err: error }, "launch put off");
    await store.postpone(eventId, id, { delayMs, reason });
  }
}

async function settleRefusal(
  { id, launch: { eventId, wallet } }: LeasedLaunch,
  refusal: StartRefusal,
  { store, log }: WorkerContext,
): Promise<void> {
  const about = { eventId, wallet };
  if (refusal === "launched_today") return store.limit(wallet, id, launchedTodayText);
  if (refusal === "share_used") {
    // Other launches go on: only this network has to wait for the next day.
    log.warn(about, "launch put off: its network has its share of today's budget");
    const waiting = { delayMs: LONGEST_DELAY_MS, reason: "daily_budget_spent" } as const;
    await store.postpone(eventId, id, waiting);
    return;
  }
  log.info(about, "launch put off: its agent pays for another one, which is undecided");
  await store.postpone(eventId, id, { delayMs: FIRST_MS });
}

function concernsAll(error: unknown): boolean {
  if (error instanceof LaunchWalletError) return true;
  return error instanceof ChainUnavailableError && error.isOutage;
}

function waitReason(error: unknown): WaitingFor {
  if (error instanceof DailyBudgetSpentError) return "daily_budget_spent";
  if (error instanceof LaunchWalletError) return "launch_wallet_short";
  if (error instanceof ChainUnavailableError) return "chain_unavailable";
  return "service_problem";
}

export function deployOutcome(error: unknown): DeployOutcome {
  if (error instanceof LaunchRefusedError) return "refused";
  return error instanceof LaunchWalletError ? "wallet_empty" : "put_off";
}

const FIRST_MS = 1_000;
/** Work goes on well within a minute after the chain is back. */
const LONGEST_MS = 15_000;

/** @param attempts how often the launch was leased, at least 1 */
function backOffMs(attempts: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempts - 1, 10));
}

/** Pauses launches. After a pause, a single launch tests whether the reason is over. */
export class BackOff {
  #delay = 0;
  #until = 0;
  #trouble: Trouble | null = null;

  constructor(private readonly clock: Clock) {}

  /** Why the last attempt was put off; null if it was not. */
  get trouble(): Trouble | null {
    return this.#trouble;
  }

  get remaining(): number {
    return Math.max(0, this.#until - this.clock.elapsed());
  }

  /** Begins a pause twice as long as the last, or joins one. @returns milliseconds until its end */
  begin(reason: Trouble["reason"]): number {
    if (this.#trouble?.reason !== reason) this.#trouble = { reason, since: this.clock.now() };
    if (this.remaining === 0) {
      this.#delay = Math.min(LONGEST_MS, Math.max(FIRST_MS, this.#delay * 2));
      this.#until = this.clock.elapsed() + this.#delay;
    }
    return this.remaining;
  }

  end(): void {
    this.#delay = 0;
    this.#until = 0;
    this.#trouble = null;
  }
}
