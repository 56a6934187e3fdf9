import { and, desc, eq, gte, lt, lte, sql } from "drizzle-orm";
import type { TokenPayout } from "../domain/claim.ts";
import type { Database, Transaction } from "./database.ts";
import { claims, payouts, tokens } from "./schema.ts";
import { NO_LIMIT, pageOf } from "./tokens.ts";

/** What claims have paid of one token's fees, in lamports. */
export interface TokenSum {
  readonly bondingCurve: bigint;
  readonly liquidityPool: bigint;
  /** Whether that is all: false while the outcome of a claim is not known. */
  readonly isWhole: boolean;
}

/**
 * Which entries of a history are read; null for all. `from` or later and before `to`, in milliseconds;
 * `before`: after the row of this place.
 */
export type HistoryPart = Readonly<
  Record<"from" | "to" | "limit" | "before", number | null> & Record<"tokenMint", string | null>
>;

/** What a claim that has paid took of a token; `id` is its place in the history of its agent. */
export type PaidTokenRow = Awaited<ReturnType<ClaimHistory["history"]>>["rows"][number];

/** An entry's place is `claim's place * 64 - position`; a claim has fewer tokens. */
const PLACES_PER_CLAIM = 64;
const PLACE = sql<number>`(${claims.paidSeq} * ${sql.raw(`${PLACES_PER_CLAIM}`)} - ${payouts.position})`;

const sumOf = (lamports: typeof payouts.curveLamports | typeof payouts.poolLamports) =>
  sql<string>`cast(sum(cast(${lamports} as bigint)) as text)`;

/** What confirmed claims have paid. */
export class ClaimHistory {
  constructor(protected readonly db: Database) {}

  /**
   * What a wallet's claims have paid, newest first: an entry for each token of a claim that paid
   * something. A claim gets its place in the transaction that records it, and a wallet's claims commit
   * in the order of their places: what is recorded later stands before all that was read, so a cursor
   * skips none.
   */
  async history(wallet: string, { tokenMint, from, to, limit, before }: HistoryPart) {
    const highest = Math.floor(((before ?? 0) + PLACES_PER_CLAIM - 1) / PLACES_PER_CLAIM);
    const most = limit ?? NO_LIMIT;
    const found = await this.db.read(({ orm }) =>
      orm
        .select({
          id: PLACE,
          tokenMint: payouts.tokenMint,
          ticker: tokens.ticker,
          signature: sql<string>`${claims.signature}`,
          receivers: claims.receivers,
          confirmedAt: sql<number>`${claims.confirmedAt}`,
          curveLamports: payouts.curveLamports,
          poolLamports: payouts.poolLamports,
        })
        .from(claims)
        .innerJoin(payouts, eq(payouts.claimId, claims.id))
        .innerJoin(tokens, eq(tokens.tokenMint, payouts.tokenMint))
        .where(
          and(
            sql`${claims.status} = 'confirmed'`,
            eq(claims.wallet, wallet),
            before === null ? undefined : and(lte(claims.paidSeq, highest), lt(PLACE, before)),
            tokenMint === null ? undefined : eq(payouts.tokenMint, tokenMint),
            from === null ? undefined : gte(claims.confirmedAt, from),
            to === null ? undefined : lt(claims.confirmedAt, to),
          ),
        )
        .orderBy(desc(claims.paidSeq), payouts.position)
        .limit(most + 1),
    );
    return pageOf(found, most);
  }

  /** What a wallet's claims have paid, summed for each token; nothing for a token without claims. */
  paidByToken(wallet: string): Promise<ReadonlyMap<string, TokenSum>> {
    return this.db.read(async ({ orm }) => {
      // Before the sums: a claim that is confirmed between the two counts as not known.
      const open = await orm
        .select({ tokenMint: claims.tokenMint, otherMints: claims.otherMints })
        .from(claims)
        .where(sql`${claims.wallet} = ${wallet} and status = 'submitted' and handed_to is null`);
      const tokenMint = payouts.tokenMint;
      const sums = await orm
        .select({
          tokenMint,
          curve: sumOf(payouts.curveLamports),
          pool: sumOf(payouts.poolLamports),
        })
        .from(claims)
        .innerJoin(payouts, eq(payouts.claimId, claims.id))
        .where(and(eq(claims.wallet, wallet), sql`${claims.status} = 'confirmed'`))
        .groupBy(tokenMint);
      const unknown = new Set(open.flatMap((claim) => [claim.tokenMint, ...claim.otherMints]));
      const nothing = [...unknown].map((mint) => ({ tokenMint: mint, curve: 0n, pool: 0n }));
      return new Map(
        [...nothing, ...sums].map(({ tokenMint, curve, pool }) => [
          tokenMint,
          {
            bondingCurve: BigInt(curve),
            liquidityPool: BigInt(pool),
            isWhole: !unknown.has(tokenMint),
          },
        ]),
      );
    });
  }
}

/** Stores what each token of a claim paid, but no zeros. @returns the tokens that it paid something for */
export async function storePayouts(
  { orm }: Transaction,
  claimId: number,
  parts: readonly TokenPayout[],
): Promise<string[]> {
  const rows = parts.map(({ tokenMint, bondingCurve, liquidityPool }, position) => {
    const lamports = { curveLamports: bondingCurve, poolLamports: liquidityPool };
    return { claimId, position, tokenMint, ...lamports };
  });
  const paid = rows.filter(({ curveLamports, poolLamports }) => curveLamports + poolLamports > 0n);
  if (paid.length > 0) await orm.insert(payouts).values(paid);
  return paid.map(({ tokenMint }) => tokenMint);
}
