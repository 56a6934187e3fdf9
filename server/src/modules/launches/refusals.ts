import { tickerExists } from "@tokenctl/shared/error-codes";
import { formatSol, lamportsToSol } from "@tokenctl/shared/sol";
import type { FieldError } from "@tokenctl/shared/types";
import { DAY_MS, secondsToNextUtcDay, utcDay } from "../../base/clock.ts";
import { GroupCommit } from "../../base/group-commit.ts";
import { ServiceError } from "../../base/service-error.ts";
import type { Objection, Refusal, TickerOwner } from "../../domain/intake.ts";
import type { LaunchLimits } from "../../domain/intake-limits.ts";
import { sharesOf } from "../../domain/shares.ts";
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
const NETWORK = "IPv4 /24, IPv6 /48";

export function refusalError(
  refusal: Refusal,
  { ticker, now, ownLaunch }: RefusedLaunch,
  limits: LaunchLimits,
): ServiceError {
  const untilTomorrow = (reason: string) => {
    const retryAfterSeconds = secondsToNextUtcDay(now);
    const advice = `${reason} Nothing was stored. Try again at ${utcDay(now + DAY_MS)} 00:00 UTC.`;
    return { retryAfterSeconds, advice };
  };
  const later = (retryAfterSeconds: number, reason = "") => ({
    retryAfterSeconds,
    advice: `${reason}Nothing was stored. Send the request again later.`,
  });
  const inHour = (places: number, reason: string) =>
    later(Math.max(QUEUE_RETRY_SECONDS, Math.ceil(HOUR_SECONDS / places)), reason);
  const { maxOfAgent, maxOfAddress, maxPending, maxPerHour, shares } = limits;
  switch (refusal) {
    case "agent_launch_limit": {
      const reason = `At most ${maxOfAgent} launches of an agent are accepted in a UTC day.`;
      return new ServiceError(refusal, untilTomorrow(reason));
    }
    case "address_launch_limit": {
      const reason = `At most ${maxOfAddress} launches and retries of a network address are accepted in a UTC day.`;
      return new ServiceError(refusal, untilTomorrow(reason));
    }
    case "queue_share_used": {
      const { address, network } = sharesOf(maxPending, maxOfAgent, shares);
      const reason = `At most ${address} launches of a network address and ${network} of its network (${NETWORK}) may wait. `;
      return new ServiceError("share_used", later(QUEUE_RETRY_SECONDS, reason));
    }
    case "hour_share_used": {
      const { address, network } = sharesOf(maxPerHour, 1, shares);
      const reason = `At most ${address} agents of a network address and ${network} of its network (${NETWORK}) get a launch started in an hour. `;
      return new ServiceError("share_used", inHour(network, reason));
    }
    case "budget_share_used": {
      const ofNetwork = `A network (${NETWORK}) has ${shares.network} % of what this service pays for launches in a UTC day`;
      const ofAddress = Number.isFinite(maxOfAddress)
        ? `, and an address in it at most ${maxOfAddress} launches`
        : "";
      return new ServiceError("share_used", untilTomorrow(`${ofNetwork}${ofAddress}.`));
    }
    case "launch_rate_limit": {
      const reason = `At most ${maxPerHour} agents get a launch started in an hour. `;
      return new ServiceError(refusal, inHour(maxPerHour, reason));
    }
    case "paused":
      // The gate has the operator's reason.
      return new ServiceError(refusal, { text: "Launches are paused" });
    case "daily_budget_spent": {
      const reason =
        "What this service pays for launches in a UTC day is spent, or set aside for those that wait.";
      return new ServiceError(refusal, untilTomorrow(reason));
    }
    case "queue_full":
      return new ServiceError(refusal, later(QUEUE_RETRY_SECONDS));
    case "ticker_taken":
      return new ServiceError(refusal, {
        text: tickerExists(ticker),
        ...(ownLaunch && {
          facts: { eventId: ownLaunch.eventId, status: ownLaunch.status },
          advice: `It is your own: ${ADVICE[ownLaunch.status](ownLaunch.eventId)}`,
        }),
      });
    default:
      return new ServiceError(refusal);
  }
}

/** Advice about the agent's own launch that holds the ticker, by status. */
const ADVICE: Readonly<Record<TickerOwner["status"], (eventId: string) => string>> = {
  pending: (id) => `the launch ${id} is pending. Wait for it.`,
  success: (id) => `the launch ${id} has made the token.`,
  failed: (id) => `the launch ${id} failed. Retry it.`,
  rate_limited: (id) => `the launch ${id} was rate limited. Retry it after 00:00 UTC.`,
};

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

  async objection(wallet: string): Promise<Objected | null> {
    return this.#paused() ?? (this.#balances && (await this.#shortOfFunds(wallet)));
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
