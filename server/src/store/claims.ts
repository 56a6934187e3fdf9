import type { AgentEventType } from "@tokenctl/shared/types";
import { eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import { utcDay } from "../base/utc-day.ts";
import type { LandedClaim } from "../domain/claim.ts";
import {
  type Journal,
  LeaseLostError,
  type SignedTransaction,
  SponsorSpentError,
} from "../domain/journal.ts";
import type { LeaseTerms } from "../domain/lease.ts";
import { ClaimReads, storePayouts } from "./claim-history.ts";
import { type Database, rowOf, type Session, type Transaction } from "./database.ts";
import { addEvents, type EventSubject, type OnEvents } from "./events.ts";
import { freeLeases, isFree, NO_LEASE } from "./leases.ts";
import { claims, tokens } from "./schema.ts";
import { idOf } from "./tokens.ts";

/** How long an expired claim is kept, in milliseconds, so that an agent that signs it reads that it expired. */
const REMEMBERED_MS = 60_000;

/** Unsigned claims of a wallet that are kept for one token: an agent that asks for more does not use the oldest. */
const UNSIGNED_PER_TOKEN = 16;

/** More than any token has. */
const MANY = 1_000_000;

export type ClaimRow = Readonly<Awaited<ReturnType<typeof readClaims>>[number]>;

export type PreparedClaim = Readonly<Omit<typeof claims.$inferInsert, "tokenId">> & {
  readonly tokenMint: string;
  readonly preparedAt: number;
};

export type ClaimPayment = LandedClaim & { readonly at: number };

type SignedClaim = Pick<SignedTransaction, "signature" | "transaction">;

/** Transactions that were handed out to be signed, and their outcomes; `HandOvers` confirms hand-overs. */
export class Claims extends ClaimReads {
  constructor(
    db: Database,
    private readonly onEvents: OnEvents,
  ) {
    super(db);
  }

  /** Stores a claim. Deletes unsigned ones that expired, and the wallet's oldest of this token above its share. */
  async prepare({ preparedAt, tokenMint, ...claim }: PreparedClaim): Promise<void> {
    const tokenId = idOf(tokenMint);
    await this.db.transaction(async (transaction) => {
      await deleteExpired(transaction, preparedAt);
      const { orm, locking } = transaction;
      await orm
        .insert(claims)
        .values({ ...claim, tokenId })
        .onConflictDoNothing({ target: claims.messageHash });
      await transaction.run(sql`delete from claims where id in (
        select id from claims where status = 'prepared' and token_id = ${tokenId}
          and wallet = ${claim.wallet} and sponsored_day is null
        order by id desc limit ${MANY} offset ${UNSIGNED_PER_TOKEN} ${locking("for update skip locked")})`);
    });
  }

  async forgetExpired(now: number): Promise<void> {
    await this.db.write((session) => deleteExpired(session, now));
  }

  async find(wallet: string, messageHash: string): Promise<ClaimRow | null> {
    const which = sql`message_hash = ${messageHash} and claims.wallet = ${wallet}`;
    return (await this.#select(() => which))[0] ?? null;
  }

  /** Sponsored claims of this wallet that were submitted in the current UTC day and are not confirmed. */
  sponsoredAtRisk(wallet: string): Promise<ClaimRow[]> {
    return this.#select(({ today }) => isAtRisk(wallet, today));
  }

  /** Notes that a sponsored claim has cost nothing and never will. Does nothing while it is submitted. */
  async clearRisk(id: number): Promise<void> {
    await this.db.write((session) =>
      session.run(
        sql`update claims set sponsored_day = null where id = ${id} and status = 'prepared'`,
      ),
    );
  }

  /** Null if it was deleted. */
  async read(id: number): Promise<ClaimRow | null> {
    return (await this.#select(() => eq(claims.id, id)))[0] ?? null;
  }

  /**
   * Leases a claim to send it, and stores the signed transaction before that. The first transaction that
   * is stored stays: a second signature of the same message is not kept.
   *
   * @param signed if it is sponsored, with how many such claims of the wallet may be submitted and without
   * success in the UTC day
   * @returns what was stored before, if it may have been sent or differs; otherwise null
   * @throws {LeaseLostError} if another server sends it now, it has paid or was deleted; {SponsorSpentError}
   */
  submit(
    id: number,
    lease: LeaseTerms,
    { maxAtRisk, ...signed }: SignedClaim & { readonly maxAtRisk?: number | undefined },
  ): Promise<SignedClaim | null> {
    return this.db.transaction(async (tx) => {
      const { orm, now, today, locking } = tx;
      const claim = await tx.get(sql<Submittable>`select wallet, status, signature, "transaction",
          sponsored_day as "sponsoredDay", ${today} as today,
          (lease_id = ${lease.id} or ${isFree(tx)}) as "isForUs"
        from claims where id = ${id} ${locking("for update")}`);
      if (!claim?.isForUs || claim.status === "confirmed") throw new LeaseLostError();
      let { sponsoredDay } = claim;
      if (maxAtRisk !== undefined && sponsoredDay === null) {
        // Its holder waits for nothing more, so servers cannot block each other.
        await tx.lock(`sponsored claims of ${claim.wallet}`);
        sponsoredDay = claim.today;
        const atRisk = await orm.$count(claims, isAtRisk(claim.wallet, sql`${sponsoredDay}`));
        if (atRisk >= maxAtRisk) throw new SponsorSpentError();
      }
      const signature = claim.signature ?? signed.signature;
      const transaction = claim.transaction ?? signed.transaction;
      await tx.run(sql`update claims set status = 'submitted', signature = ${signature},
          "transaction" = ${transaction}, sponsored_day = ${sponsoredDay},
          lease_id = ${lease.id}, lease_until = ${now} + ${lease.ms}
        where id = ${id}`);
      // A sponsored claim that was withdrawn keeps its first bytes, and others are not sent.
      const isSame = Buffer.compare(transaction, signed.transaction) === 0;
      return isSame && claim.status === "prepared" ? null : { signature, transaction };
    });
  }

  /** Extends the lease. @returns false if it is lost */
  async renew(id: number, lease: LeaseTerms): Promise<boolean> {
    const renewed = await this.db.write((session) =>
      session.run(sql`update claims set lease_until = ${session.now} + ${lease.ms}
        where ${isSentBy(id, lease.id)}`),
    );
    return renewed > 0;
  }

  /** Gives a submitted claim with an unknown outcome back, to be sent again by any server. */
  async release(id: number, leaseId: string): Promise<void> {
    await this.db.write(({ orm }) => orm.update(claims).set(NO_LEASE).where(isSentBy(id, leaseId)));
  }

  /**
   * Takes back a submission that the chain refused or that expired: it moved nothing. Does nothing
   * if the lease is lost. If the claim has expired already, it is kept as long as one that expires
   * now. A sponsored one keeps what was signed: it may have cost a fee, and is never signed again.
   *
   * @param end only that it expired adds an event, as no answer says so
   */
  async withdraw(
    id: number,
    leaseId: string,
    { at, reason }: { readonly at: number; readonly reason: "refused" | "expired" },
  ): Promise<void> {
    const wallet = await this.db.transaction(async (transaction) => {
      const { orm, locking } = transaction;
      const isOurs = sql`${isSentBy(id, leaseId)} ${locking("for update")}`;
      const claim = await rowOf(transaction, claims, isOurs);
      if (!claim) return null;
      const expiresAt = Math.max(claim.expiresAt, Math.floor(at));
      const unsigned = claim.sponsoredDay === null && { signature: null, transaction: null };
      await orm
        .update(claims)
        .set({ status: "prepared", ...unsigned, expiresAt, ...NO_LEASE })
        .where(eq(claims.id, id));
      if (reason === "refused" || claim.handedTo !== null) return null;
      const { wallet, tokenId, otherMints, signature: transactionHash } = claim;
      const subject = { wallet, tokenId, otherMints, transactionHash };
      await addEventOfToken(transaction, "claim.expired", subject);
      return wallet;
    });
    if (wallet !== null) this.onEvents(wallet);
  }

  /**
   * Records what a claim and each of its tokens paid, and on the tokens the time and the first receiver unless
   * it paid nothing; all or nothing. It has landed, so no lease is asked for. Does nothing if it is
   * recorded already.
   */
  async confirm(
    { id, wallet }: Pick<ClaimRow, "id" | "wallet">,
    { payouts, at: confirmedAt, ...paid }: ClaimPayment,
  ): Promise<void> {
    const paidSeq = sql`(select coalesce(max(paid_seq), 0) + 1 from claims
      where wallet = ${wallet} and status = 'confirmed')`;
    const isFirst = await this.db.transaction(
      async (transaction) => {
        const first = await endClaim(transaction, id, { ...paid, confirmedAt, paidSeq });
        if (!first) return false;
        const mints = await storePayouts(transaction, id, payouts);
        const receiver = first.receivers[0]?.address ?? wallet;
        await transaction.run(sql`update tokens
          set claimed_at = ${confirmedAt}, claimed_to = nullif(${receiver}, wallet), fees_told_at = null,
            accepted_at = case when holder = ${wallet} then coalesce(accepted_at, ${confirmedAt}) else accepted_at end
          where ${inArray(tokens.tokenMint, mints)}`);
        const { tokenId } = first;
        await addEventOfToken(transaction, "claim.confirmed", { wallet, tokenId, claimId: id });
        return true;
      },
      // A wallet's claims take turns, so that they commit in the order of their places.
      [`history ${wallet}`],
    );
    if (isFirst) this.onEvents(wallet);
  }

  /** Submitted claims that no server holds: their outcome is unknown. */
  unsettled(): Promise<ClaimRow[]> {
    return this.#select((session) => sql`status = 'submitted' and ${isFree(session)}`);
  }

  countSubmitted(): Promise<number> {
    return this.db.read(({ orm }) => orm.$count(claims, sql`status = 'submitted'`));
  }

  recover(): Promise<void> {
    return freeLeases(this.db, claims);
  }

  #select(which: (session: Session) => SQL): Promise<ClaimRow[]> {
    return this.db.read((session) => readClaims(session, which(session)));
  }
}

const { tokenId: TOKEN_ID, ...COLUMNS } = getTableColumns(claims);

function readClaims({ orm }: Session, which: SQL) {
  return orm
    .select({ ...COLUMNS, tokenMint: tokens.tokenMint })
    .from(claims)
    .innerJoin(tokens, eq(tokens.id, TOKEN_ID))
    .where(which);
}

interface Submittable
  extends Pick<ClaimRow, "wallet" | "status" | "signature" | "transaction" | "sponsoredDay"> {
  readonly today: string;
  readonly isForUs: boolean | 0 | 1;
}

async function deleteExpired(session: Session, now: number): Promise<void> {
  const until = now - REMEMBERED_MS;
  // A claim that its sponsor may have lost a fee to is kept until the day is over.
  await session.run(sql`delete from claims where status = 'prepared' and expires_at < ${until}
    and (sponsored_day is null or sponsored_day < ${utcDay(until)})`);
}

/** Confirms a claim or a hand-over. @returns its row; null if it was confirmed already */
export async function endClaim(
  { orm }: Transaction,
  id: number,
  paid: SQLiteUpdateSetSource<typeof claims>,
): Promise<typeof claims.$inferSelect | null> {
  const [first = null] = await orm
    .update(claims)
    .set({ status: "confirmed", transaction: null, ...NO_LEASE, ...paid })
    .where(sql`id = ${id} and status <> 'confirmed'`)
    .returning();
  return first;
}

export async function addEventOfToken(
  transaction: Transaction,
  type: AgentEventType,
  { tokenId, ...subject }: Omit<EventSubject, "launchSeq"> & { readonly tokenId: number },
): Promise<void> {
  const token = await rowOf(transaction, tokens, sql`id = ${tokenId}`);
  if (!token) throw new Error("a claim refers to its token");
  await addEvents(transaction, type, [{ ...subject, launchSeq: token.launchSeq }]);
}

function isAtRisk(wallet: string, day: SQL): SQL {
  return sql`claims.wallet = ${wallet} and sponsored_day = ${day} and status <> 'confirmed'`;
}

function isSentBy(id: number, leaseId: string): SQL {
  return sql`id = ${id} and lease_id = ${leaseId} and status = 'submitted'`;
}

/** The journal of a claim. It leases the claim with the first transaction that it stores. */
export function claimJournal(
  store: Claims,
  { id, lease, lastValidBlockHeight }: ClaimRow & { readonly lease: LeaseTerms },
  maxAtRisk?: number,
): Journal {
  return {
    async record({ signature, transaction }) {
      const stored = await store.submit(id, lease, { signature, transaction, maxAtRisk });
      return stored && { ...stored, lastValidBlockHeight };
    },
  };
}
