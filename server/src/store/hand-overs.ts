import { eq, sql } from "drizzle-orm";
import type { Database, Transaction } from "./database.ts";
import { addEvents, type OnEvents } from "./events.ts";
import { addEventOfToken, endPrepared, type HandOverRow } from "./prepared.ts";
import { prepared, tokens } from "./schema.ts";
import { HOLDER, OWNER } from "./tokens.ts";

type SeenHolder = Readonly<Record<"tokenMint" | "known" | "actual", string>>;

/** Records which wallet owns a token's fees after hand-overs. The chain decides. */
export class HandOvers {
  constructor(
    private readonly db: Database,
    private readonly onEvents: OnEvents,
  ) {}

  /** Does nothing the second time. */
  async confirm({ id, wallet, tokenMint, handedTo }: HandOverRow, at: number): Promise<void> {
    const isFirst = await this.db.transaction(async (transaction) => {
      const ended = await endPrepared(transaction, id, { confirmedAt: at, paidLamports: 0n });
      if (!ended) return false;
      const { tokenId } = ended;
      // If the wallet has since got the token back, the receiver no longer owns it.
      const isBack = sql`token_id = ${tokenId} and handed_to = ${wallet} and id > ${id}
        and status = 'confirmed'`;
      if ((await transaction.orm.$count(prepared, isBack)) === 0) {
        await move(transaction, { tokenMint, known: wallet, actual: handedTo });
      }
      await addEventOfToken(transaction, "token.handed_over", { wallet, tokenId, claimId: id });
      return true;
    });
    if (isFirst) this.onEvents(wallet);
  }

  /**
   * Records a hand-over found on chain, unless the owner has since changed. Adds
   * `token.handed_over` unless the service sends that hand-over itself and adds the event later.
   */
  async found(seen: SeenHolder): Promise<void> {
    const { tokenMint } = seen;
    const told = await this.db.transaction(async (transaction) => {
      const { orm } = transaction;
      const [before] = await orm
        .select({ wallet: OWNER, launchSeq: tokens.launchSeq, tokenId: tokens.id })
        .from(tokens)
        .where(eq(tokens.tokenMint, tokenMint));
      if (!before || !(await move(transaction, seen))) return null;
      const { wallet, launchSeq, tokenId } = before;
      const isSent = sql`token_id = ${tokenId} and handed_to = ${seen.actual} and status = 'submitted'`;
      if (wallet === null || (await orm.$count(prepared, isSent)) > 0) return null;
      await addEvents(transaction, "token.handed_over", [{ wallet, launchSeq }]);
      return wallet;
    });
    if (told !== null) this.onEvents(told);
  }

  /** @returns false if another wallet owns the token's fees */
  async accept(wallet: string, tokenMint: string): Promise<boolean> {
    const accepted = await this.db.transaction(({ now, run }) =>
      run(sql`update tokens set accepted_at = coalesce(accepted_at, ${now})
        where token_mint = ${tokenMint} and holder = ${wallet}`),
    );
    return accepted > 0;
  }

  /** Returns those of the tokens that a wallet has claimed fees of or handed over. Reads all its claims. */
  async hadTokens(wallet: string, asked: readonly { readonly tokenMint: string }[]) {
    if (asked.length === 0) return new Set<string>();
    const isTheirs = sql`prepared.wallet = ${wallet} and status = 'confirmed'`;
    const rows = await this.db.read((session) =>
      session.all(sql<{ mint: string }>`select token_mint as mint from tokens
        where token_mint in ${asked.map(({ tokenMint }) => tokenMint)} and id in (
          select token_id from prepared where ${isTheirs} union
          select p.token_id from payouts as p join prepared on prepared.id = claim_id where ${isTheirs})`),
    );
    return new Set(rows.map(({ mint }) => mint));
  }
}

/** Changes a token's owner. @returns false if the owner is not `known` */
async function move(transaction: Transaction, { tokenMint, known, actual }: SeenHolder) {
  const moved = await transaction.run(sql`update tokens
    set holder = case when wallet = ${actual} then null else cast(${actual} as text) end,
      held_since = ${transaction.now}, accepted_at = null, fees_told_at = null
    where token_mint = ${tokenMint} and ${HOLDER} = ${known}`);
  return moved > 0;
}
