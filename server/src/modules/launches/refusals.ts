import { type ErrorCode, tickerExists, type VaryingErrorCode } from "@tokenctl/shared/error-codes";
import { formatSol, lamportsToSol } from "@tokenctl/shared/sol";
import type { FieldError } from "@tokenctl/shared/types";
import { DAY_MS, secondsToNextUtcDay, utcDay } from "../../base/clock.ts";
import { GroupCommit } from "../../base/group-commit.ts";
import { ServiceError } from "../../base/service-error.ts";
import type { Objection, Refusal, TickerOwner } from "../../domain/intake.ts";
import type { LaunchLimits } from "../../domain/intake-limits.ts";
import { type PauseReason, pauseError } from "../../http/endpoint.ts";

/** The `Retry-After` of a full queue, in seconds: some launches have left it by then. */
const QUEUE_RETRY_SECONDS = 30;
const HOUR_SECONDS = 3_600;

export const IMAGE_GONE: FieldError = {
  field: "imageUrl",
  message: "names an image that is not here; upload it again",
};

type PlainCode = Exclude<ErrorCode, VaryingErrorCode>;

export function refusalError(
  refusal: Refusal,
  { ticker, now, ownLaunch }: { ticker: string; now: number; ownLaunch: TickerOwner | null },
  { maxPerHour }: LaunchLimits,
): ServiceError {
  const tomorrow = (code: PlainCode) =>
    new ServiceError(code, {
      retryAfterSeconds: secondsToNextUtcDay(now),
      advice: `Nothing was stored. Try again at ${utcDay(now + DAY_MS)} 00:00 UTC.`,
    });
  const later = (code: PlainCode, retryAfterSeconds: number) =>
    new ServiceError(code, {
      retryAfterSeconds,
      advice: "Nothing was stored. Send the request again later.",
    });
  const hourSeconds = Math.max(QUEUE_RETRY_SECONDS, Math.ceil(HOUR_SECONDS / maxPerHour));
  switch (refusal) {
    case "agent_launch_limit":
    case "address_launch_limit":
    case "daily_budget_spent":
      return tomorrow(refusal);
    case "budget_share_used":
      return tomorrow("share_used");
    case "launch_rate_limit":
      return later(refusal, hourSeconds);
    case "hour_share_used":
      return later("share_used", hourSeconds);
    case "queue_full":
      return later(refusal, QUEUE_RETRY_SECONDS);
    case "queue_share_used":
      return later("share_used", QUEUE_RETRY_SECONDS);
    case "paused":
      // The gate has the operator's reason.
      return new ServiceError(refusal, { text: "Launches are paused" });
    case "ticker_taken":
      return new ServiceError(refusal, {
        text: tickerExists(ticker),
        ...(ownLaunch && { facts: { eventId: ownLaunch.eventId, status: ownLaunch.status } }),
      });
    default:
      return new ServiceError(refusal);
  }
}

export interface AgentFunds {
  readonly minLamports: bigint;
  read(wallets: readonly string[]): Promise<readonly bigint[]>;
}

/** A reason to refuse a launch that does not depend on the database. */
export interface Objected {
  readonly code: Objection;
  readonly error: ServiceError;
}

export class LaunchGate {
  readonly #balances: GroupCommit<string, bigint> | null;

  /** @param funds what a wallet must hold; null for nothing */
  constructor(
    private readonly pauseReason: PauseReason,
    private readonly funds: AgentFunds | null,
  ) {
    // One RPC request at a time, whatever the number of launches.
    this.#balances = funds && new GroupCommit((wallets) => funds.read(wallets), 100);
  }

  /**
   * Returns why no launch of this wallet is accepted now: `paused`, then `agent_balance_low`. An
   * unreadable balance is no objection: the worker reads it before it starts the launch.
   */
  async objections(wallet: string): Promise<Objected[]> {
    const error = pauseError("launches", this.pauseReason);
    const paused = error && ({ code: "paused", error } as const);
    return [paused, await this.#shortOfFunds(wallet)].filter((it) => it !== null);
  }

  async #shortOfFunds(wallet: string): Promise<Objected | null> {
    const required = this.funds?.minLamports ?? 0n;
    const balance = (await this.#balances?.add(wallet).catch(() => null)) ?? required;
    if (balance >= required) return null;
    const error = new ServiceError("agent_balance_low", {
      facts: { requiredSOL: lamportsToSol(required), balanceSOL: lamportsToSol(balance) },
      advice: `Send at least ${formatSol(required - balance)} SOL to ${wallet}, and keep it there until the launch has ended.`,
    });
    return { code: "agent_balance_low", error };
  }
}
