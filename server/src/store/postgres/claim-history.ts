import { and, desc, eq, gte, lt, lte, type SQL, sql } from "drizzle-orm";
import type { HistoryPart, PaidTokenRow, TokenPayoutRow, TokenSum } from "../claim-store.ts";
import { highestClaim, historyPage, PLACES_PER_CLAIM } from "../history-page.ts";
import { payoutRows, toTokenSums } from "../payout-rows.ts";
import type { Page } from "../token-store.ts";
import type { Session } from "./database.ts";
import { claims, payouts, tokens } from "./schema.ts";

/** A claim whose parts are not known is one entry, of its first token. */
const TOKEN_MINT = sql<string>`coalesce(${payouts.tokenMint}, ${claims.tokenMint})`;
const PLACE =
  sql<number>`(${claims.paidSeq} * ${sql.raw(`${PLACES_PER_CLAIM}`)} - coalesce(${payouts.position}, 0))`.mapWith(
    claims.id,
  );

/** Stores what each token of a claim paid, in the transaction that confirms the claim; no zeros. */
export async function storePayouts(
  orm: Session["orm"],
  claimId: number,
  paid: readonly TokenPayoutRow[] | null = null,
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
      tokenMint: TOKEN_MINT,
      otherMints: claims.otherMints,
      ticker: tokens.ticker,
      signature: claims.signature,
      confirmedAt: claims.confirmedAt,
      paidLamports: claims.paidLamports,
      curveLamports: payouts.curveLamports,
      poolLamports: payouts.poolLamports,
    })
    .from(claims)
    .leftJoin(payouts, eq(payouts.claimId, claims.id))
    .innerJoin(tokens, eq(tokens.tokenMint, TOKEN_MINT))
    .where(
      and(
        sql`${claims.status} = 'confirmed' and ${claims.paidLamports} <> 0`,
        eq(claims.wallet, wallet),
        before === null
          ? undefined
          : and(lte(claims.paidSeq, highestClaim(before)), lt(PLACE, before)),
        tokenMint === null ? undefined : isOf(tokenMint),
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
  const open = (which: SQL) =>
    orm
      .select({ tokenMint: claims.tokenMint, otherMints: claims.otherMints })
      .from(claims)
      .where(and(eq(claims.wallet, wallet), which));
  // Two reads, each by an index.
  const submitted = await open(sql`status = 'submitted'`);
  const unknown = await open(sql`status = 'confirmed' and paid_lamports <> 0
    and not exists (select 1 from payouts where claim_id = ${claims.id})`);
  return toTokenSums(sums, [...submitted, ...unknown]);
}

function isOf(mint: string): SQL {
  return sql`(${TOKEN_MINT} = ${mint} or (${payouts.tokenMint} is null
    and strpos(${claims.otherMints}, ${JSON.stringify(mint)}) > 0))`;
}
