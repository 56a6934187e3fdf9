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

/**
 * How long an unsigned claim is remembered after it expired, in milliseconds: so long, whoever signs
 * it late is told that it expired.
 */
const REMEMBERED_MS = 60_000;

/**
 * Unsigned claims of one token that are remembered at a time. An agent that asks for more has no
 * use for the oldest any more, and cannot fill the table by asking.
 */
const UNSIGNED_OF_TOKEN = 16;

/** Claim transactions that were handed out, and what became of them. */
export class ClaimStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Remembers what was handed out. Forgets all unsigned ones that expired, and the oldest of this
   * token's beyond those that are remembered at a time.
   */
  prepare(claim: PreparedClaimRow): void {
    this.#db.transaction(
      (tx) => {
        tx.delete(claims).where(isOver(claim.preparedAt)).run();
        tx.insert(claims).values(claim).onConflictDoNothing({ target: claims.messageHash }).run();
        tx.delete(claims)
          .where(
            sql`id in (
              select id from claims where status = 'prepared' and token_mint = ${claim.tokenMint}
              order by id desc limit -1 offset ${UNSIGNED_OF_TOKEN})`,
          )
          .run();
      },
      { behavior: "immediate" },
    );
  }

  /** Forgets what expired unsigned. */
  forgetExpired(now: number): void {
    this.#db.delete(claims).where(isOver(now)).run();
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
   * @returns whether it is stored: one that was confirmed or forgotten meanwhile is not to be sent
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
   * Takes back a submission that the chain refused or that expired: it moved nothing. It is
   * remembered from now on like one that expires now, if it has expired already.
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

  /** Claims that were sent and whose outcome is not known: a crash or the chain's silence came between. */
  submitted(): ClaimRow[] {
    return this.#db.select().from(claims).where(sql`status = 'submitted'`).all();
  }
}

function isOver(now: number) {
  return sql`status = 'prepared' and expires_at < ${now - REMEMBERED_MS}`;
}
