import type { LaunchStatusName } from "@tokenctl/shared/types";
import { decide, type TickerHolder } from "../../domain/intake.ts";
import type { IntakeLimits } from "../../domain/intake-limits.ts";
import { networkOf } from "../../domain/shares.ts";
import { retryOf } from "../insert-decision.ts";
import type { BatchRequest, IntakeBatch } from "../intake-batch.ts";
import type { RequestOrigin, RetryOutcome } from "../launch-intake.ts";
import { SERVICE_TIME } from "../launch-queue.ts";
import type { Session, Statement } from "./database.ts";
import { violates } from "./faults.ts";
import type { Intake } from "./intake.ts";

interface Ended {
  readonly status: LaunchStatusName;
  readonly ticker: string;
}

const FIND: Statement = {
  name: "find_ended",
  text: "select status, ticker from launches where event_id = $1 and wallet = $2 for update",
};

/** Takes a ticker from the launch that ended without a token, at $2 or earlier. */
const RELEASE: Statement = {
  name: "release_ticker",
  text: `update launches set ticker_released = 1
    where ticker = $1 and ticker_released = 0
      and status in ('failed', 'rate_limited') and processed_at <= $2`,
};

const HOLDER: Statement = {
  name: "ticker_holder",
  text: `select event_id as "eventId", wallet, status,
      case when status in ('failed', 'rate_limited') then processed_at end as "endedAt"
    from launches where ticker = $1 and ticker_released = 0`,
};

const REQUEUE: Statement = {
  name: "requeue",
  text: `with anew as (update launch_starts set event_id = null where event_id = $1)
    update launches set status = 'pending', processed_at = null, error = null, run_at = $2,
      day = null, signature = null, transaction = null, last_valid_block_height = null,
      token_mint = null, pool_address = null, ticker_released = 0, address = $3,
      network = $4, queued_at = ${SERVICE_TIME},
      reserved_lamports = null, reserved_day = null, waiting_for = null, waiting_since = null
    where event_id = $1`,
};

/** Puts launches that ended without a token back in the queue. */
export class RetryLaunch {
  readonly #intake: Intake;

  constructor(intake: Intake) {
    this.#intake = intake;
  }

  /** See `Launches.retry`. */
  async retry(
    wallet: string,
    eventId: string,
    origin: RequestOrigin,
    limits: IntakeLimits,
  ): Promise<RetryOutcome> {
    const request = retryOf({ wallet, eventId, ticker: null }, origin);
    return await this.#intake.decide(
      [request],
      limits,
      async (session, batch) => {
        const { outcome, isReleased } = await decideRetry(session, batch, request, limits);
        return {
          outcomes: outcome,
          accepted: outcome.kind === "stored" ? [request] : [],
          write: async () => {
            if (outcome.kind === "stored" && isReleased) {
              await session.rows(RELEASE, outcome.ticker, origin.now - limits.tickerHoldMs);
            }
            return await requeue(session, eventId, origin);
          },
        };
      },
      // A repeated retry is refused as one of a pending launch, so it is safe to say that it failed.
      async () => false,
    );
  }
}

/** @returns with `isReleased` whether another launch has the ticker, which it does not keep */
async function decideRetry(
  session: Session,
  batch: IntakeBatch,
  request: BatchRequest,
  limits: IntakeLimits,
): Promise<{ readonly outcome: RetryOutcome; readonly isReleased: boolean }> {
  const refused = (outcome: RetryOutcome) => ({ outcome, isReleased: false });
  const [launch] = await session.rows<Ended>(FIND, request.eventId, request.wallet);
  if (!launch) return refused({ kind: "unknown" });
  const { status, ticker } = launch;
  if (status !== "failed" && status !== "rate_limited") {
    return refused({ kind: "not_ended", status });
  }
  const [found] = await session.rows<TickerHolder>(HOLDER, ticker);
  const holder = found && found.eventId !== request.eventId ? found : null;
  const [refusal] = decide(request, { ...batch.factsOf(request), holder }, limits);
  if (refusal !== undefined) return refused({ kind: refusal, ticker });
  return { outcome: { kind: "stored", ticker }, isReleased: holder !== null };
}

async function requeue(
  session: Session,
  eventId: string,
  { now, address }: RequestOrigin,
): Promise<boolean> {
  try {
    const network = address === null ? null : networkOf(address);
    await session.rows(REQUEUE, eventId, now, address, network);
    return true;
  } catch (error) {
    // Another launch took the ticker at this moment.
    if (violates(error, "launches_ticker")) return false;
    throw error;
  }
}
