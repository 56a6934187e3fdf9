import { and, desc, eq, lt, lte, type SQLWrapper, sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { payouts, prepared, tokens } from "./schema.ts";
import { type PagePart, readPage } from "./tokens.ts";

export interface TokenSum {
  readonly bondingCurve: bigint;
  readonly liquidityPool: bigint;
  /** False while the outcome of a claim is unknown. */
  readonly isWhole: boolean;
}

/** A part of a history: of one token, or of all if `tokenMint` is null. */
export type HistoryPart = PagePart & { readonly tokenMint: string | null };

/** What a confirmed claim paid of a token's fees; `id` orders the agent's history. */
export type PaidTokenRow = Awaited<ReturnType<ClaimReads["history"]>>["rows"][number];

/** An entry's id is `paid_seq * 64 - position`: a claim has fewer than 64 tokens. */
const IDS_PER_CLAIM = 64;
const ENTRY_ID = sql<number>`(${prepared.paidSeq} * ${sql.raw(`${IDS_PER_CLAIM}`)} - ${payouts.position})`;

const sumOf = (lamports: SQLWrapper) => sql<string>`cast(sum(cast(${lamports} as bigint)) as text)`;

export class ClaimReads {
  constructor(protected readonly db: Database) {}

  async paidInAll(): Promise<bigint> {
    const sum = await this.db.read((session) =>
      session.get(sql<{ paid: string | null }>`select
        cast(sum(cast(curve_lamports as bigint) + cast(pool_lamports as bigint)) as text) as paid
        from payouts join prepared on prepared.id = claim_id where status = 'confirmed'`),
    );
    return BigInt(sum?.paid ?? 0);
  }

  /** Lists each paid token, newest first. Claims commit in `paid_seq` order: cursors skip none. */
  history(wallet: string, { tokenMint, ...part }: HistoryPart) {
    return readPage(part, ({ limit, before }) => {
      const highest = Math.floor((before + IDS_PER_CLAIM - 1) / IDS_PER_CLAIM);
      return this.db.read(({ orm }) =>
        orm
          .select({
            id: ENTRY_ID,
            tokenMint: tokens.tokenMint,
            ticker: tokens.ticker,
            signature: sql<string>`${prepared.signature}`,
            receivers: prepared.receivers,
            confirmedAt: sql<number>`${prepared.confirmedAt}`,
            bondingCurve: payouts.bondingCurve,
            liquidityPool: payouts.liquidityPool,
          })
          .from(prepared)
          .innerJoin(payouts, eq(payouts.claimId, prepared.id))
          .innerJoin(tokens, eq(tokens.id, payouts.tokenId))
          .where(
            and(
              sql`${prepared.status} = 'confirmed'`,
              eq(prepared.wallet, wallet),
              lte(prepared.paidSeq, highest),
              lt(ENTRY_ID, before),
              tokenMint === null ? undefined : eq(tokens.tokenMint, tokenMint),
            ),
          )
          .orderBy(desc(prepared.paidSeq), payouts.position)
          .limit(limit),
      );
    });
  }

  paidByToken(wallet: string): Promise<ReadonlyMap<string, TokenSum>> {
    return this.db.read(async ({ orm }) => {
      // Runs before the sums: a claim that is confirmed between the two queries counts as unknown.
      const open = await orm
        .select({ tokenMint: tokens.tokenMint, otherMints: prepared.otherMints })
        .from(prepared)
        .innerJoin(tokens, eq(tokens.id, prepared.tokenId))
        .where(sql`${prepared.wallet} = ${wallet} and status = 'submitted' and handed_to is null`);
      const { tokenMint } = tokens;
      const sums = await orm
        .select({
          tokenMint,
          bondingCurve: sumOf(payouts.bondingCurve),
          liquidityPool: sumOf(payouts.liquidityPool),
        })
        .from(prepared)
        .innerJoin(payouts, eq(payouts.claimId, prepared.id))
        .innerJoin(tokens, eq(tokens.id, payouts.tokenId))
        .where(and(eq(prepared.wallet, wallet), sql`${prepared.status} = 'confirmed'`))
        .groupBy(tokenMint);
      const unknown = new Set(open.flatMap((claim) => [claim.tokenMint, ...claim.otherMints]));
      const none = { bondingCurve: 0n, liquidityPool: 0n, isWhole: false };
      const paid = new Map<string, TokenSum>([...unknown].map((mint) => [mint, none]));
      for (const { tokenMint, ...sum } of sums) {
        paid.set(tokenMint, {
          bondingCurve: BigInt(sum.bondingCurve),
          liquidityPool: BigInt(sum.liquidityPool),
          isWhole: !unknown.has(tokenMint),
        });
      }
      return paid;
    });
  }
}
