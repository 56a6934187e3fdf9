import { eq, sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { claims, tokens } from "./schema.ts";

export type ClaimRow = typeof claims.$inferSelect;

/** A claim transaction that is handed out. */
export interface PreparedClaimRow {
  readonly wallet: string;
  readonly tokenMint: string;
  readonly messageHash: string;
  readonly lastValidBlockHeight: number;
  readonly preparedAt: number;
  readonly expiresAt: number;
}

/** Claim transactions that were handed out, and what became of them. */
export class ClaimStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Remembers what was handed out, and forgets what expired unsigned before `forgetBefore`. */
  prepare(claim: PreparedClaimRow, forgetBefore: number): void {
    this.#db.transaction(
      (tx) => {
        tx.delete(claims).where(sql`status = 'prepared' and expires_at < ${forgetBefore}`).run();
        tx.insert(claims).values(claim).onConflictDoNothing({ target: claims.messageHash }).run();
      },
      { behavior: "immediate" },
    );
  }

  /** The claim of this wallet and token that has this message. */
  find(wallet: string, tokenMint: string, messageHash: string): ClaimRow | null {
    const row = this.#db
      .select()
      .from(claims)
      .where(
        sql`${claims.messageHash} = ${messageHash} and ${claims.wallet} = ${wallet} and ${claims.tokenMint} = ${tokenMint}`,
      )
      .get();
    return row ?? null;
  }

  /** Stores the signed transaction; called before it is first sent. */
  submit(id: number, signature: string, transaction: Uint8Array): void {
    this.#db
      .update(claims)
      .set({ status: "submitted", signature, transaction: Buffer.from(transaction) })
      .where(sql`id = ${id} and status <> 'confirmed'`)
      .run();
  }

  /** Takes back a submission that the chain refused or that expired: it moved nothing. */
  withdraw(id: number): void {
    this.#db
      .update(claims)
      .set({ status: "prepared", signature: null, transaction: null })
      .where(sql`id = ${id} and status = 'submitted'`)
      .run();
  }

  /** Records what a claim paid, and on its token to whom and when; both or neither. */
  confirm(claim: ClaimRow, paidLamports: bigint, now: number): void {
    this.#db.transaction(
      (tx) => {
        const confirmed = tx
          .update(claims)
          .set({ status: "confirmed", paidLamports, confirmedAt: now, transaction: null })
          .where(sql`id = ${claim.id} and status = 'submitted'`)
          .returning({ id: claims.id })
          .get();
        if (!confirmed) return;
        tx.update(tokens)
          .set({ claimedAt: now, claimedTo: claim.wallet })
          .where(eq(tokens.tokenMint, claim.tokenMint))
          .run();
      },
      { behavior: "immediate" },
    );
  }

  /** Claims that were sent and whose fate is not known: a crash or the chain's silence came between. */
  submitted(): ClaimRow[] {
    return this.#db.select().from(claims).where(sql`status = 'submitted'`).all();
  }
}
