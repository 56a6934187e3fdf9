import type { Clock } from "../../base/clock.ts";
import { DAY_MS, startOfUtcDay, utcDay } from "../../base/utc-day.ts";
import { networkOf } from "../../domain/shares.ts";
import { type IntakeState, RECENT_TOKENS, type TickerHolder } from "../intake-state.ts";
import type { RequestOrigin } from "../launch-intake.ts";
import type { Database } from "./database.ts";
import type { Spending } from "./spending.ts";

type Counts = Omit<
  IntakeState,
  "hasLaunchedToday" | "spentLamports" | "reserved" | "holder" | "recentMs"
> & { readonly hasLaunchedToday: 0 | 1 };

/** Reads what would decide about a launch, and changes nothing. */
export class IntakeStates {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #counts;
  readonly #holder;
  readonly #recent;
  readonly #spending: Pick<Spending, "committedToday">;

  constructor(db: Database, clock: Clock, spending: Pick<Spending, "committedToday">) {
    this.#spending = spending;
    this.#db = db;
    this.#clock = clock;
    const { $client: client } = db;
    this.#counts = client.query<
      Counts,
      Record<"wallet" | "day" | "today", string> &
        Record<"address" | "network", string | null> & { dayStart: number }
    >(
      `select
         (select count(*) from launches where wallet = $wallet
            and status in ('pending', 'success', 'failed', 'rate_limited')
            and created_at >= $dayStart and created_at < $dayStart + ${DAY_MS}) as ofAgent,
         (select count(*) from launches where wallet = $wallet and status = 'pending')
           as pendingOfAgent,
         exists (select 1 from launches where wallet = $wallet and status = 'success'
            and day = $today) as hasLaunchedToday,
         coalesce((select launches from address_launches where day = $day
            and address = $address), 0) as ofAddress,
         (select count(*) from launches where status = 'pending' and network = $network
            and address = $address) as pendingOfAddress,
         (select count(*) from launches where status = 'pending' and network = $network)
           as pendingOfNetwork,
         (select count(*) from launches where status = 'pending') as pending,
         coalesce((select launched from address_launches where day = $today
            and address = $address), 0) as launchedOfAddress,
         coalesce((select launched from address_launches where day = $today
            and address = $network), 0) as launchedOfNetwork`,
    );
    this.#holder = client.query<TickerHolder, [string]>(
      `select event_id as eventId, wallet, status,
         case when status in ('failed', 'rate_limited') then processed_at end as endedAt
       from launches where ticker = ? and ticker_released = 0`,
    );
    this.#recent = client.query<{ ms: number }, [number]>(
      `select deployed_at - created_at as ms
       from (select event_id, deployed_at from tokens order by id desc limit ${RECENT_TOKENS})
       join launches using (event_id) where deployed_at >= ?`,
    );
  }

  /** See `LaunchStore.intakeState`. */
  read(wallet: string, ticker: string | null, { address, now }: RequestOrigin): IntakeState {
    const time = this.#clock.now();
    return this.#db.transaction(() => {
      const counts = this.#counts.get({
        wallet,
        dayStart: startOfUtcDay(now),
        address,
        network: address === null ? null : networkOf(address),
        day: utcDay(now),
        today: utcDay(time),
      });
      if (!counts) throw new Error("the counts are one row");
      const { lamports, reserved } = this.#spending.committedToday();
      return {
        ...counts,
        hasLaunchedToday: counts.hasLaunchedToday === 1,
        spentLamports: lamports,
        reserved,
        holder: ticker === null ? null : this.#holder.get(ticker),
        recentMs: this.#recent.all(time - DAY_MS).map(({ ms }) => ms),
      };
    });
  }
}
