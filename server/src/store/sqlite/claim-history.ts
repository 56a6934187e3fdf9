import { and, desc, eq, gte, lt, lte, sql } from "drizzle-orm";
import type { HistoryPart, PaidTokenRow, TokenPayoutRow, TokenSum } from "../claim-store.ts";
import { highestClaim, historyPage, PLACES_PER_CLAIM } from "../history-page.ts";
import { payoutRows, toTokenSums } from "../payout-rows.ts";
import { claims, payouts, tokens } from "../schema.ts";
import type { Page } from "../token-store.ts";
import type { Database } from "./database.ts";

const PLACE = sql<number>`${claims.paidSeq} * ${sql.raw(`${PLACES_PER_CLAIM}`)} - ${payouts.position}`;

/** Stores what each token of a claim paid, in the transaction that confirms the claim; no zeros. */
export function storePayouts(
  tx: Pick<Database, "insert">,
  claimId: number,
  paid: readonly TokenPayoutRow[],
): void {
  const rows = payoutRows(claimId, paid);
  if (rows.length > 0) tx.insert(payouts).values(rows).run();
}

/** See `ClaimStore.history`. */
export function readHistory(
  db: Database,
  wallet: string,
  { tokenMint, from, to, limit, before }: HistoryPart,
): Page<PaidTokenRow> {
  const found = db
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
        before === null
          ? undefined
          : and(lte(claims.paidSeq, highestClaim(before)), lt(PLACE, before)),
        tokenMint === null ? undefined : eq(payouts.tokenMint, tokenMint),
        from === null ? undefined : gte(claims.confirmedAt, from),
        to === null ? undefined : lt(claims.confirmedAt, to),
      ),
    )
    .orderBy(desc(claims.paidSeq), payouts.position);
  return historyPage((limit === null ? found : found.limit(limit + 1)).all(), limit);
}

/** See `ClaimStore.paidByToken`. */
export function readPaidByToken(db: Database, wallet: string): ReadonlyMap<string, TokenSum> {
  const sum = (lamports: typeof payouts.curveLamports | typeof payouts.poolLamports) =>
    sql<string>`cast(sum(cast(${lamports} as integer)) as text)`;
  const sums = db
    .select({
      tokenMint: payouts.tokenMint,
      curve: sum(payouts.curveLamports),
      pool: sum(payouts.poolLamports),
    })
    .from(claims)
    .innerJoin(payouts, eq(payouts.claimId, claims.id))
    .where(and(eq(claims.wallet, wallet), sql`${claims.status} = 'confirmed'`))
    .groupBy(payouts.tokenMint)
    .all();
  const open = db
    .select({ tokenMint: claims.tokenMint, otherMints: claims.otherMints })
    .from(claims)
    .where(sql`${claims.wallet} = ${wallet} and status = 'submitted'`)
    .all();
  return toTokenSums(sums, open);
}
