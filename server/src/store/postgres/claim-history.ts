import { and, desc, eq, gte, lt, lte, sql } from "drizzle-orm";
import type { HistoryPart, PaidTokenRow, TokenPayoutRow, TokenSum } from "../claim-store.ts";
import { highestClaim, historyPage, PLACES_PER_CLAIM } from "../history-page.ts";
import { payoutRows, toTokenSums } from "../payout-rows.ts";
import type { Page } from "../token-store.ts";
import type { Session } from "./database.ts";
import { claims, payouts, tokens } from "./schema.ts";

const PLACE =
  sql<number>`(${claims.paidSeq} * ${sql.raw(`${PLACES_PER_CLAIM}`)} - ${payouts.position})`.mapWith(
    claims.id,
  );

/** Stores what each token of a claim paid, in the transaction that confirms the claim; no zeros. */
export async function storePayouts(
  orm: Session["orm"],
  claimId: number,
  paid: readonly TokenPayoutRow[],
): Promise<void> {
  const rows = payoutRows(claimId, paid);
  if (rows.length > 0) await orm.insert(payouts).values(rows);
}

/** See `ClaimStore.history`. */
export async function readHistory(
  { orm }: Session,
  wallet: string,
  { tokenMint, from, to, limit, before }: HistoryPart,
): Promise<Page<PaidTokenRow>> {
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
        before === null
          ? undefined
          : and(lte(claims.paidSeq, highestClaim(before)), lt(PLACE, before)),
        tokenMint === null ? undefined : eq(payouts.tokenMint, tokenMint),
        from === null ? undefined : gte(claims.confirmedAt, from),
        to === null ? undefined : lt(claims.confirmedAt, to),
      ),
    )
    .orderBy(desc(claims.paidSeq), payouts.position);
  return historyPage(await (limit === null ? all : all.limit(limit + 1)), limit);
}

/** See `ClaimStore.paidByToken`. */
export async function readPaidByToken(
  { orm }: Session,
  wallet: string,
): Promise<ReadonlyMap<string, TokenSum>> {
  const sums = await orm
    .select({
      tokenMint: payouts.tokenMint,
      curve: sql<string>`sum(${payouts.curveLamports})::text`,
      pool: sql<string>`sum(${payouts.poolLamports})::text`,
    })
    .from(claims)
    .innerJoin(payouts, eq(payouts.claimId, claims.id))
    .where(sql`${claims.wallet} = ${wallet} and ${claims.status} = 'confirmed'`)
    .groupBy(payouts.tokenMint);
  const open = await orm
    .select({ tokenMint: claims.tokenMint, otherMints: claims.otherMints })
    .from(claims)
    .where(sql`${claims.wallet} = ${wallet} and status = 'submitted'`);
  return toTokenSums(sums, open);
}
