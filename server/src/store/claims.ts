import { eq, sql } from "drizzle-orm";
import type { Database } from "./database.ts";
import { claims, tokens } from "./schema.ts";

export type ClaimRow = typeof claims.$inferSelect;

/** A claim transaction that the service hands out unsigned. */
export interface PreparedClaimRow {
  readonly wallet: string;
  readonly tokenMint: string;
  readonly messageHash: string;
  readonly lastValidBlockHeight: number;
  readonly preparedAt: number;
  readonly expiresAt: number;
}

/**
 * How long an expired claim is kept, in milliseconds. An agent that signs it within this time
 * reads that it expired.
 */
const REMEMBERED_MS = 60_000;

/**
 * Unsigned claims that are kept for one token. An agent that asks for more does not use the oldest
 * any more, and cannot fill the table.
 */
const UNSIGNED_PER_TOKEN = 16;

/** Claim transactions that were handed out, and their outcomes. */
export class ClaimStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Stores a claim. Deletes unsigned ones that expired, and this token's oldest above its share.
   */
  prepare(claim: PreparedClaimRow): void {
    this.#db.transaction(
      (tx) => {
        tx.delete(claims).where(isExpired(claim.preparedAt)).run();
        tx.insert(claims).values(claim).onConflictDoNothing({ target: claims.messageHash }).run();
        // In SQL: drizzle leaves out a `limit` of -1, which SQLite needs before an `offset`.
        tx.delete(claims)
          .where(
            sql`id in (
              select id from claims where status = 'prepared' and token_mint = ${claim.tokenMint}
              order by id desc limit -1 offset ${UNSIGNED_PER_TOKEN})`,
          )
          .run();
      },
      { behavior: "immediate" },
    );
  }

  /** Deletes the claims that expired unsigned. */
  forgetExpired(now: number): void {
    this.#db.delete(claims).where(isExpired(now)).run();
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

  /**
   * Stores the signed transaction; called before it is first sent.
   *
   * @returns whether it is stored; do not send it otherwise: it was confirmed or deleted meanwhile
   */
  submit(id: number, signature: string, transaction: Uint8Array): boolean {
    const stored = this.#db
      .update(claims)
      .set({ status: "submitted", signature, transaction: Buffer.from(transaction) })
      .where(sql`id = ${id} and status <> 'confirmed'`)
      .returning({ id: claims.id })
      .get();
    return stored !== undefined;
  }

  /**
   * Takes back a submission that the chain refused or that expired: it moved nothing. If the claim
   * has expired already, it is kept as long as one that expires now.
   */
  withdraw(id: number, now: number): void {
    this.#db
      .update(claims)
      .set({
        status: "prepared",
        signature: null,
        transaction: null,
        expiresAt: sql`max(expires_at, ${now})`,
      })
      .where(sql`id = ${id} and status = 'submitted'`)
      .run();
  }

  /** Records what a claim paid, and on its token when and to whom; both or neither. */
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

  /** Submitted claims with an unknown outcome, after a crash or because the chain was silent. */
  submitted(): ClaimRow[] {
    return this.#db.select().from(claims).where(sql`status = 'submitted'`).all();
  }
}

function isExpired(now: number) {
  return sql`status = 'prepared' and expires_at < ${now - REMEMBERED_MS}`;
}
