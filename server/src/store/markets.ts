import { and, desc, eq, getTableColumns, inArray, isNotNull, isNull, or, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { DAY_MS, HOUR_MS } from "../base/clock.ts";
import type { Market } from "../domain/token.ts";
import { type Database, rowOf, rowsOf, type Session } from "./database.ts";
import { markets, prices, tokens } from "./schema.ts";

export interface MarketReading extends Market {
  readonly tokenId: number;
}

export type TokenMarket = Awaited<ReturnType<Markets["of"]>>[number];

/** A token with its market, which is null before its pool is first read. */
export type ListedMarket = Awaited<ReturnType<Markets["list"]>>[number];

export interface ListedPart {
  readonly order?: "new" | "graduating" | "top";
  /** Empty for all. */
  readonly search?: string;
  readonly wallet?: string;
  readonly limit: number;
  readonly offset?: number;
}

const amount = (column: SQLiteColumn) => sql`cast(${column} as bigint)`;

const ORDERS = {
  new: [],
  graduating: [desc(sql`cast(${markets.raised} as real) / cast(${markets.goal} as real)`)],
  top: [desc(amount(markets.marketCap))],
} as const;

/** How long prices are kept, and the span of time of each: at most 2,160 prices of a token. */
const PERIODS = {
  day: { span: 60_000, ms: DAY_MS },
  month: { span: HOUR_MS, ms: 30 * DAY_MS },
} as const;

export class Markets {
  constructor(private readonly db: Database) {}

  /** Stores the readings that have changed, and adds each new price to the history. */
  async record(readings: readonly MarketReading[], at: number): Promise<void> {
    const ids = readings.map(({ tokenId }) => tokenId);
    const rows = await this.db.read((session) =>
      rowsOf(session, markets, inArray(markets.tokenId, ids)),
    );
    const before = new Map(rows.map((row) => [row.tokenId, row]));
    const changed = readings.flatMap(({ feeRateAt, ...reading }) => {
      const known = before.get(reading.tokenId);
      if (known && FIELDS.every((field) => known[field] === reading[field])) return [];
      const { fees = 0n, traded = 0n } = known ?? {};
      const rate = feeRateAt(at);
      // A node that is behind reports fewer fees. Fees that were counted are not counted again.
      const paid = reading.fees > fees ? reading.fees - fees : 0n;
      const since = rate && rate.dividend > 0n ? (paid * rate.divisor) / rate.dividend : 0n;
      return [{ ...reading, fees: fees + paid, traded: traded + since, changedAt: at }];
    });
    if (changed.length === 0) return;
    const points = changed
      .filter(({ tokenId, price }) => before.get(tokenId)?.price !== price)
      .flatMap(({ tokenId, price }) =>
        Object.values(PERIODS).map(({ span }) => ({ tokenId, span, at: at - (at % span), price })),
      );
    await this.db.transaction(async ({ orm }) => {
      await orm
        .insert(markets)
        .values(changed)
        .onConflictDoUpdate({ target: markets.tokenId, set: NEW_VALUES });
      if (points.length === 0) return;
      await orm
        .insert(prices)
        .values(points)
        .onConflictDoUpdate({
          target: [prices.tokenId, prices.span, prices.at],
          set: { price: excluded(prices.price) },
        });
    });
  }

  /** Returns the markets of tokens that are not hidden, in any order. */
  of(mints: readonly string[]) {
    return this.db.read(({ orm }) =>
      orm
        .select({ ...getTableColumns(markets), tokenMint: tokens.tokenMint })
        .from(markets)
        .innerJoin(tokens, eq(tokens.id, markets.tokenId))
        .where(and(inArray(tokens.tokenMint, [...mints]), isNull(tokens.hiddenAt))),
    );
  }

  /** Lists tokens that are not hidden. `search` is the start of a ticker or name, or a mint. */
  async list({ order = "new", search = "", wallet, limit, offset = 0 }: ListedPart) {
    const text = search.toLowerCase().replace(/[\\%_]/g, "\\$&");
    const isLike = (column: SQLiteColumn) => sql`lower(${column}) like ${`${text}%`} escape '\\'`;
    const isFound =
      search === ""
        ? undefined
        : or(isLike(tokens.ticker), isLike(tokens.name), eq(tokens.tokenMint, search));
    const isShown = {
      new: undefined,
      graduating: isNotNull(markets.raised),
      top: isNotNull(markets.price),
    };
    const { tokenMint, ticker, name, imageUrl, deployedAt } = tokens;
    return await this.db.read(({ orm }) =>
      orm
        .select({ tokenMint, ticker, name, imageUrl, deployedAt, market: getTableColumns(markets) })
        .from(tokens)
        .leftJoin(markets, eq(markets.tokenId, tokens.id))
        .where(
          and(
            isNull(tokens.hiddenAt),
            isFound,
            isShown[order],
            wallet === undefined ? undefined : eq(tokens.wallet, wallet),
          ),
        )
        .orderBy(...ORDERS[order], desc(tokens.id))
        .limit(limit)
        .offset(offset),
    );
  }

  async totals() {
    const sumOf = (column: SQLiteColumn) =>
      sql<string>`cast(coalesce(sum(${amount(column)}), 0) as text)`;
    return await this.db.read(async ({ orm }) => {
      const sums = { earned: sumOf(markets.earned), traded: sumOf(markets.traded) };
      const [{ earned, traded } = { earned: 0, traded: 0 }] = await orm.select(sums).from(markets);
      const count = await orm.$count(tokens);
      return { tokens: count, earned: BigInt(earned), traded: BigInt(traded) };
    });
  }

  /** Returns the price at `time`, or the first price after it if none is known before. */
  async priceAt(tokenId: number, time: number): Promise<bigint | null> {
    return await this.db.read(async (session) => {
      const minute = sql`token_id = ${tokenId} and span = ${PERIODS.day.span} order by at limit 1`;
      const hour = await hourBefore(session, tokenId, time);
      return (hour ?? (await rowOf(session, prices, minute)))?.price ?? null;
    });
  }

  /** Returns prices, oldest first. The first holds from the start of the period if it is known. */
  async history(tokenId: number, period: keyof typeof PERIODS, now: number) {
    const { span, ms } = PERIODS[period];
    const since = now - ms;
    return await this.db.read(async (session) => {
      const earlier = await hourBefore(session, tokenId, since - HOUR_MS);
      const ofSpan = sql`token_id = ${tokenId} and span = ${span} and at >= ${since} order by at`;
      const points = await rowsOf(session, prices, ofSpan);
      const all = [...(earlier ? [{ ...earlier, at: since }] : []), ...points];
      return all.map(({ at, price }) => ({ at, price }));
    });
  }

  /** Deletes at most `step` expired prices of each span, and `step` of the oldest above `most`. */
  forget(
    now: number,
    { most, step }: { readonly most: number; readonly step: number },
  ): Promise<number> {
    return this.db.transaction(
      async (transaction) => {
        let deleted = 0;
        for (const { span, ms } of Object.values(PERIODS)) {
          deleted += await transaction.run(sql`delete from prices where (token_id, span, at) in
            (select token_id, span, at from prices where span = ${span} and at < ${now - ms}
              order by at limit ${step})`);
        }
        const excess = Math.min(step, (await transaction.orm.$count(prices)) - most);
        if (excess <= 0) return deleted;
        const extra = await transaction.run(sql`delete from prices where (token_id, span, at) in
          (select token_id, span, at from prices order by span, at limit ${excess})`);
        return deleted + extra;
      },
      ["forget prices"],
    );
  }
}

function hourBefore(session: Session, tokenId: number, time: number) {
  const hour = sql`token_id = ${tokenId} and span = ${HOUR_MS} and at <= ${time}
    order by at desc limit 1`;
  return rowOf(session, prices, hour);
}

function excluded(column: SQLiteColumn) {
  return sql`excluded.${sql.identifier(column.name)}`;
}

const FIELDS = ["price", "marketCap", "raised", "goal", "earned", "fees"] as const;

const NEW_VALUES = Object.fromEntries(
  ([...FIELDS, "traded", "changedAt"] as const).map((field) => [field, excluded(markets[field])]),
);
