import { and, desc, eq, gte, lt, lte, sql } from "drizzle-orm";
import type { TokenPayout } from "../domain/claim.ts";
import type { Session, Transaction } from "./database.ts";
import { claims, payouts, tokens } from "./schema.ts";
import type { Page } from "./tokens.ts";

/** What claims have paid of one token's fees, in lamports. */
export interface TokenSum {
  readonly bondingCurve: bigint;
  readonly liquidityPool: bigint;
  /** Whether that is all: false while the outcome of a claim is not known. */
  readonly isWhole: boolean;
}

/** Which entries of a history are read. */
export interface HistoryPart {
  /** Of this token only; null for all. */
  readonly tokenMint: string | null;
  /** Confirmed at this time or later, and before that one, in milliseconds; null for no bound. */
  readonly from: number | null;
  readonly to: number | null;
  /** The most rows; null for all. */
  readonly limit: number | null;
  /** Those after the row of this place; null from the first row on. */
  readonly before: number | null;
}

/** What a claim that has paid took of a token, as its agent's history shows it. */
export interface PaidTokenRow {
  readonly tokenMint: string;
  readonly ticker: string;
  readonly signature: string;
  readonly confirmedAt: number;
  readonly curveLamports: bigint;
  readonly poolLamports: bigint;
}

/** An entry's place is `claim's place * 64 - position`; a claim has fewer tokens. */
const PLACES_PER_CLAIM = 64;
const PLACE = sql<number>`(${claims.paidSeq} * ${sql.raw(`${PLACES_PER_CLAIM}`)} - ${payouts.position})`;

/**
 * Stores what each token of a claim paid, in the transaction that confirms the claim; no zeros.
 *
 * @returns the tokens that it paid something for
 */
export async function storePayouts(
  { orm }: Transaction,
  claimId: number,
  parts: readonly TokenPayout[],
): Promise<string[]> {
  const rows = parts.map(({ tokenMint, bondingCurve, liquidityPool }, position) => ({
    ...{ claimId, position, tokenMint, curveLamports: bondingCurve, poolLamports: liquidityPool },
  }));
  const paid = rows.filter(({ curveLamports, poolLamports }) => curveLamports + poolLamports > 0n);
  if (paid.length > 0) await orm.insert(payouts).values(paid);
  return paid.map(({ tokenMint }) => tokenMint);
}

/** See `Claims.history`. */
export async function readHistory(
  { orm }: Session,
  wallet: string,
  { tokenMint, from, to, limit, before }: HistoryPart,
): Promise<Page<PaidTokenRow>> {
  const highest = Math.floor(((before ?? 0) + PLACES_PER_CLAIM - 1) / PLACES_PER_CLAIM);
  const all = orm
    .select({
      place: PLACE,
      tokenMint: payouts.tokenMint,
      ticker: tokens.ticker,
      signature: claims.signature,
      confirmedAt: claims.confirmedAt,
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
    .orderBy(desc(claims.paidSeq), payouts.position);
  const found = await (limit === null ? all : all.limit(limit + 1));
  const shown = limit === null ? found : found.slice(0, limit);
  return {
    rows: shown.map(({ place: _, signature, confirmedAt, ...entry }) => ({
      ...{ ...entry, signature: signature ?? "", confirmedAt: confirmedAt ?? 0 },
    })),
    next: shown.length < found.length ? (shown.at(-1)?.place ?? null) : null,
  };
}

/** See `Claims.paidByToken`. */
export async function readPaidByToken(
  { orm }: Session,
  wallet: string,
): Promise<ReadonlyMap<string, TokenSum>> {
  // Before the sums: a claim that is confirmed between the two counts as not known.
  const open = await orm
    .select({ tokenMint: claims.tokenMint, otherMints: claims.otherMints })
    .from(claims)
    .where(sql`${claims.wallet} = ${wallet} and status = 'submitted'`);
  const sum = (lamports: typeof payouts.curveLamports | typeof payouts.poolLamports) =>
    sql<string>`cast(sum(cast(${lamports} as bigint)) as text)`;
  const sums = await orm
    .select({
      tokenMint: payouts.tokenMint,
      curve: sum(payouts.curveLamports),
      pool: sum(payouts.poolLamports),
    })
    .from(claims)
    .innerJoin(payouts, eq(payouts.claimId, claims.id))
    .where(and(eq(claims.wallet, wallet), sql`${claims.status} = 'confirmed'`))
    .groupBy(payouts.tokenMint);
  const paid = new Map<string, TokenSum>(
    sums.map(({ tokenMint, curve, pool }) => [
      tokenMint,
      { bondingCurve: BigInt(curve), liquidityPool: BigInt(pool), isWhole: true },
    ]),
  );
  for (const { tokenMint, otherMints } of open) {
    for (const mint of [tokenMint, ...otherMints]) {
      const known = paid.get(mint) ?? { bondingCurve: 0n, liquidityPool: 0n };
      paid.set(mint, { ...known, isWhole: false });
    }
  }
  return paid;
}
