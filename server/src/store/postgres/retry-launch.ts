import type { DayBudget } from "../../domain/intake.ts";
import { networkOf } from "../../domain/shares.ts";
import type { IntakeLimits, RequestOrigin, RetryOutcome } from "../launch-intake.ts";
import type { LaunchStatusName } from "../launch-row.ts";
import type { Session, Statement } from "./database.ts";
import { violates } from "./faults.ts";
import type { Intake } from "./intake.ts";
import type { IntakeBounds } from "./intake-bounds.ts";
import type { Counted } from "./intake-facts.ts";
import { SERVICE_TIME } from "./launch-waits.ts";

interface Ended {
  readonly status: LaunchStatusName;
  readonly ticker: string;
  readonly tickerReleased: 0 | 1;
}

const FIND: Statement = {
  name: "find_ended",
  text: `select status, ticker, ticker_released as "tickerReleased" from launches
    where event_id = $1 and wallet = $2 for update`,
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
  text: "select 1 as one from launches where ticker = $1 and ticker_released = 0",
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

  /** See `LaunchStore.retry`. */
  async retry(
    wallet: string,
    eventId: string,
    { address, now, objection = null }: RequestOrigin,
    limits: IntakeLimits,
    budget: DayBudget | null,
  ): Promise<RetryOutcome> {
    // PostgreSQL takes no such text, and no id has it.
    if (eventId.includes("\0")) return { kind: "unknown" };
    const counted: Counted = { wallet, ticker: null, key: null, address, now, objection };
    return await this.#intake.decide(
      [counted],
      limits,
      budget,
      async (session, bounds) => {
        const outcome = await decide(session, bounds, { ...counted, eventId }, limits);
        return {
          outcomes: outcome,
          accepted: outcome.kind === "stored" ? [counted] : [],
          write: () => requeue(session, eventId, now, address),
        };
      },
      // A repeated retry is refused as one of a pending launch, so it is safe to say that it failed.
      async () => false,
    );
  }
}

async function decide(
  session: Session,
  bounds: IntakeBounds,
  request: Counted & { readonly eventId: string },
  { tickerHoldMs }: IntakeLimits,
): Promise<RetryOutcome> {
  const [launch] = await session.rows<Ended>(FIND, request.eventId, request.wallet);
  if (!launch) return { kind: "unknown" };
  const { status, ticker } = launch;
  if (status !== "failed" && status !== "rate_limited") return { kind: "not_ended", status };
  if (launch.tickerReleased === 1) {
    await session.rows(RELEASE, ticker, request.now - tickerHoldMs);
    if ((await session.rows(HOLDER, ticker)).length > 0) return { kind: "ticker_taken", ticker };
  }
  const refusal = bounds.admissionRefusal(request) ?? bounds.countRefusal(request, false);
  if (refusal !== null) return { kind: refusal, ticker };
  bounds.accept(request, false);
  return { kind: "stored", ticker };
}

async function requeue(
  session: Session,
  eventId: string,
  now: number,
  address: string | null,
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
