import { tickerExists } from "@tokenctl/shared/error-codes";
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

interface RefusedLaunch {
  readonly ticker: string;
  readonly now: number;
  readonly ownLaunch: TickerOwner | null;
}

/** The error for an `imageUrl` that names a missing image of this service. */
export const IMAGE_GONE: FieldError = {
  field: "imageUrl",
  message: "names an image that is not here; upload it again",
};

export function refusalError(
  refusal: Refusal,
  { ticker, now, ownLaunch }: RefusedLaunch,
  { maxPerHour }: LaunchLimits,
): ServiceError {
  const tomorrow = (what = "") => ({
    retryAfterSeconds: secondsToNextUtcDay(now),
    advice: `${what}Nothing was stored. Try again at ${utcDay(now + DAY_MS)} 00:00 UTC.`,
  });
  const later = (retryAfterSeconds: number, what = "") => ({
    retryAfterSeconds,
    advice: `${what}Nothing was stored. Send the request again later.`,
  });
  const hourSeconds = Math.max(QUEUE_RETRY_SECONDS, Math.ceil(HOUR_SECONDS / maxPerHour));
  switch (refusal) {
    case "agent_launch_limit":
    case "address_launch_limit":
    case "daily_budget_spent":
      return new ServiceError(refusal, tomorrow());
    case "budget_share_used":
      return new ServiceError("share_used", tomorrow("It is the share of the day's budget. "));
    case "launch_rate_limit":
      return new ServiceError(refusal, later(hourSeconds));
    case "hour_share_used":
      return new ServiceError("share_used", later(hourSeconds, "It is the share of an hour. "));
    case "queue_full":
      return new ServiceError(refusal, later(QUEUE_RETRY_SECONDS));
    case "queue_share_used":
      return new ServiceError(
        "share_used",
        later(QUEUE_RETRY_SECONDS, "It is the share of the launches that wait. "),
      );
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

const MAX_READ = 100;

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
    this.#balances = funds && new GroupCommit((wallets) => funds.read(wallets), MAX_READ);
  }

  /**
   * Returns why no launch of this wallet is accepted now: `paused`, then `agent_balance_low`. An
   * unreadable balance is no objection: the worker reads it before it starts the launch.
   */
  async objections(wallet: string): Promise<Objected[]> {
    return [this.#paused(), await this.#shortOfFunds(wallet)].filter((it) => it !== null);
  }

  #paused(): Objected | null {
    const error = pauseError("launches", this.pauseReason);
    return error && { code: "paused", error };
  }

  async #shortOfFunds(wallet: string): Promise<Objected | null> {
    const balance = await this.#balances?.add(wallet).catch(() => null);
    const required = this.funds?.minLamports ?? 0n;
    if (balance === undefined || balance === null || balance >= required) return null;
    const missing = formatSol(required - balance);
    const error = new ServiceError("agent_balance_low", {
      facts: { requiredSOL: lamportsToSol(required), balanceSOL: lamportsToSol(balance) },
      advice: `Send at least ${missing} SOL to ${wallet}, and keep it there until the launch has ended.`,
    });
    return { code: "agent_balance_low", error };
  }
}
