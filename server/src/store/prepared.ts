import type { AgentEventType } from "@tokenctl/shared/types";
import { eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import type { SQLiteUpdateSetSource } from "drizzle-orm/sqlite-core";
import { type LeaseTerms, utcDay } from "../base/clock.ts";
import {
  type Journal,
  LeaseLostError,
  type SignedBytes,
  StartRefusedError,
} from "../domain/journal.ts";
import type { HandedOutLaunch, LandedClaim, TokenPayout } from "../domain/signing.ts";
import { ClaimReads } from "./claim-history.ts";
import {
  type Database,
  freeLeases,
  isFree,
  NO_LEASE,
  rowIn,
  rowOf,
  type Session,
  type Transaction,
} from "./database.ts";
import { addEvents, type EventSubject, type OnEvents } from "./events.ts";
import { INTAKE_LOCK, startPaidLaunch } from "./launch-queue.ts";
import { payouts, prepared, tokens } from "./schema.ts";
import { idOf } from "./tokens.ts";

/** Milliseconds that expired rows are kept: an agent that signs one learns that it expired. */
const REMEMBERED_MS = 60_000;

/** Unsigned transactions that are kept for a token or launch; one more replaces the oldest. */
const UNSIGNED_KEPT = 16;

/** More rows than any wallet, token or launch has: SQLite allows no `offset` without a `limit`. */
const MANY = 1_000_000;

export type PreparedRow = Readonly<Awaited<ReturnType<typeof readPrepared>>[number]>;

/** A claim or a hand-over. */
type OfToken = PreparedRow & { readonly tokenMint: string };
export type HandOverRow = OfToken & { readonly handedTo: string };
export type PreparedLaunch = PreparedRow & {
  readonly eventId: string;
  readonly launchSeq: number;
  readonly launch: HandedOutLaunch;
};

export const isPreparedLaunch = (row: PreparedRow): row is PreparedLaunch => row.kind === "launch";
export const isHandOver = (row: PreparedRow): row is HandOverRow => row.kind === "hand_over";

/** Returns the tokens of a claim, or the one token of a hand-over. */
export function mintsOf({ tokenMint, otherMints }: PreparedRow): string[] {
  return [...(tokenMint === null ? [] : [tokenMint]), ...otherMints];
}

/** A launch has `launchSeq` instead of `tokenMint`. */
export type NewPrepared = Readonly<Omit<typeof prepared.$inferInsert, "tokenId">> & {
  readonly tokenMint?: string;
  readonly preparedAt: number;
};

export type ClaimPayment = LandedClaim & { readonly at: number };

export interface SubmitLimits {
  /** At most this many sponsored claims of a wallet are unconfirmed in the UTC day. */
  readonly maxAtRisk?: number | undefined;
  /** At most this many agents start a launch in any hour; `Infinity` is no limit. */
  readonly maxPerHour?: number | undefined;
}

export class Prepared extends ClaimReads {
  constructor(
    db: Database,
    private readonly onEvents: OnEvents,
  ) {
    super(db);
  }

  /** Stores an unsigned transaction. Deletes expired ones, and the oldest above `UNSIGNED_KEPT`. */
  async prepare({ preparedAt, tokenMint, ...row }: NewPrepared): Promise<void> {
    const tokenId = tokenMint === undefined ? null : idOf(tokenMint);
    const isOfSame = row.launchSeq
      ? sql`launch_seq = ${row.launchSeq}`
      : sql`token_id = ${tokenId} and wallet = ${row.wallet}`;
    await this.db.transaction(async (transaction) => {
      await deleteExpired(transaction, preparedAt);
      const { orm, locking } = transaction;
      await orm
        .insert(prepared)
        .values({ ...row, tokenId })
        .onConflictDoNothing({ target: prepared.messageHash });
      await transaction.run(sql`delete from prepared where id in (
        select id from prepared where status = 'prepared' and ${isOfSame} and sponsored_day is null
        order by id desc limit ${MANY} offset ${UNSIGNED_KEPT} ${locking("for update skip locked")})`);
    });
  }

  forgetExpired(now: number): Promise<void> {
    return this.db.write((session) => deleteExpired(session, now));
  }

  async find(wallet: string, messageHash: string): Promise<PreparedRow | null> {
    const which = sql`message_hash = ${messageHash} and prepared.wallet = ${wallet}`;
    return (await this.#select(() => which))[0] ?? null;
  }

  /** Returns the wallet's sponsored claims that were submitted this UTC day and are unconfirmed. */
  sponsoredAtRisk(wallet: string): Promise<PreparedRow[]> {
    return this.#select(({ today }) => isAtRisk(wallet, today));
  }

  /** Records that a sponsored claim can cost nothing. Does nothing while the claim is submitted. */
  async clearRisk(id: number): Promise<void> {
    await this.db.write((session) =>
      session.run(
        sql`update prepared set sponsored_day = null where id = ${id} and status = 'prepared'`,
      ),
    );
  }

  async read(id: number): Promise<PreparedRow | null> {
    return (await this.#select(() => eq(prepared.id, id)))[0] ?? null;
  }

  /**
   * Leases a row to send it, and marks its launch as signed. The row keeps the first transaction
   * that is stored, and ignores a second signature of the same message.
   * @returns the earlier transaction if it may have been sent or differs; otherwise null
   * @throws {LeaseLostError} if another server sends it now, or it has landed or was deleted
   * @throws {StartRefusedError} if it may not be sent now; nothing is stored
   */
  async submit(
    { id, kind, wallet }: Pick<PreparedRow, "id" | "kind" | "wallet">,
    lease: LeaseTerms,
    signed: SignedBytes,
    { maxAtRisk, maxPerHour = Number.POSITIVE_INFINITY }: SubmitLimits = {},
  ): Promise<SignedBytes | null> {
    const isCounted = kind === "launch" && Number.isFinite(maxPerHour);
    try {
      return await this.db.transaction(
        async (tx) => {
          const { orm, now, today, locking } = tx;
          const isForUs = sql`(lease_id = ${lease.id} or ${isFree(tx)})`;
          const which = sql`id = ${id} and status <> 'confirmed' and ${isForUs}`;
          const row = await rowOf(tx, prepared, sql`${which} ${locking("for update")}`);
          if (!row) throw new LeaseLostError();
          let { sponsoredDay } = row;
          if (maxAtRisk !== undefined && sponsoredDay === null) {
            sponsoredDay = rowIn(await tx.all(sql<{ day: string }>`select ${today} as day`)).day;
            const atRisk = await orm.$count(prepared, isAtRisk(wallet, sql`${sponsoredDay}`));
            if (atRisk >= maxAtRisk) throw new StartRefusedError("sponsor_spent");
          }
          const signature = row.signature ?? signed.signature;
          const transaction = row.transaction ?? signed.transaction;
          if (row.status === "prepared" && row.kind === "launch") {
            await startPaidLaunch(tx, row, signature, maxPerHour);
          }
          await tx.run(sql`update prepared set status = 'submitted', signature = ${signature},
              "transaction" = ${transaction}, sponsored_day = ${sponsoredDay},
              lease_id = ${lease.id}, lease_until = ${now} + ${lease.ms}
            where id = ${id}`);
          // A withdrawn sponsored claim keeps its first bytes, and only those may be sent.
          const isSame = Buffer.compare(transaction, signed.transaction) === 0;
          return isSame && row.status === "prepared" ? null : { signature, transaction };
        },
        [
          ...(isCounted ? [INTAKE_LOCK] : []),
          ...(maxAtRisk === undefined ? [] : [`sponsored claims of ${wallet}`]),
        ],
      );
    } catch (error) {
      if (!this.db.violates(error, "launches_day")) throw error;
      throw new StartRefusedError("another_undecided");
    }
  }

  async renew(id: number, lease: LeaseTerms): Promise<boolean> {
    const renewed = await this.db.write(({ now, run }) =>
      run(sql`update prepared set lease_until = ${now} + ${lease.ms}
        where ${isSentBy(id, lease.id)}`),
    );
    return renewed > 0;
  }

  /** Ends the lease. The outcome is unknown, so any server may send the transaction again. */
  async release(id: number, leaseId: string): Promise<void> {
    await this.db.write(({ orm }) =>
      orm.update(prepared).set(NO_LEASE).where(isSentBy(id, leaseId)),
    );
  }

  /**
   * Makes a transaction unsigned again after the chain refused it or it expired: it moved nothing.
   * The row stays for {@link REMEMBERED_MS}. A sponsored claim keeps its bytes: it may have cost a
   * fee, and is never signed again. Only an expired claim adds an event: no response reports it.
   */
  async withdraw(
    id: number,
    leaseId: string,
    { at, reason }: { readonly at: number; readonly reason: "refused" | "expired" },
  ): Promise<void> {
    const wallet = await this.db.transaction(async (transaction) => {
      const row = await withdraw(transaction, isSentBy(id, leaseId), at);
      if (!row || reason === "refused" || row.kind !== "claim") return null;
      const { wallet, otherMints, signature: transactionHash } = row;
      const subject = { wallet, tokenId: row.tokenId, otherMints, transactionHash };
      await addEventOfToken(transaction, "claim.expired", subject);
      return wallet;
    });
    if (wallet !== null) this.onEvents(wallet);
  }

  /**
   * Records a landed claim, and its time and first receiver on each token that paid something.
   * Needs no lease, because the claim has landed. Does nothing the second time.
   */
  async confirm(
    { id, wallet }: Pick<PreparedRow, "id" | "wallet">,
    { payouts, at: confirmedAt, ...paid }: ClaimPayment,
  ): Promise<void> {
    const paidSeq = sql`(select coalesce(max(paid_seq), 0) + 1 from prepared
      where wallet = ${wallet} and status = 'confirmed')`;
    const isFirst = await this.db.transaction(
      async (transaction) => {
        const first = await endPrepared(transaction, id, { ...paid, confirmedAt, paidSeq });
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
      // A wallet's claims take turns, so that they commit in the order of `paid_seq`.
      [`history ${wallet}`],
    );
    if (isFirst) this.onEvents(wallet);
  }

  unsettled(): Promise<PreparedRow[]> {
    return this.#select((session) => sql`status = 'submitted' and ${isFree(session)}`);
  }

  /** Counts submitted transactions with an unknown outcome; `claims` includes hand-overs. */
  async countSubmitted(): Promise<Record<"launches" | "claims", number>> {
    const counted = this.db.read((session) =>
      session.all<Record<"launches" | "claims", number>>(sql`select count(launch_seq) as launches,
        count(*) - count(launch_seq) as claims from prepared where status = 'submitted'`),
    );
    return rowIn(await counted);
  }

  recover(): Promise<void> {
    return freeLeases(this.db, prepared);
  }

  #select(which: (session: Session) => SQL): Promise<PreparedRow[]> {
    return this.db.read((session) => readPrepared(session, which(session)));
  }
}

const EVENT_ID = sql<
  string | null
>`(select event_id from launches where launches.seq = prepared.launch_seq)`;

function readPrepared({ orm }: Session, which: SQL) {
  return orm
    .select({ ...getTableColumns(prepared), tokenMint: tokens.tokenMint, eventId: EVENT_ID })
    .from(prepared)
    .leftJoin(tokens, eq(tokens.id, prepared.tokenId))
    .where(which);
}

async function deleteExpired(session: Session, now: number): Promise<void> {
  const until = now - REMEMBERED_MS;
  // A claim that may have cost its sponsor a fee is kept until the day is over.
  await session.run(sql`delete from prepared where status = 'prepared' and expires_at < ${until}
    and (sponsored_day is null or sponsored_day < ${utcDay(until)})`);
}

/** Records that a transaction landed. @returns null if that was already recorded */
export async function endPrepared(
  { orm }: Transaction,
  id: number,
  paid: SQLiteUpdateSetSource<typeof prepared>,
): Promise<typeof prepared.$inferSelect | null> {
  const [first = null] = await orm
    .update(prepared)
    .set({ status: "confirmed", transaction: null, ...NO_LEASE, ...paid })
    .where(sql`id = ${id} and status <> 'confirmed'`)
    .returning();
  return first;
}

/** Makes a row unsigned again; see `Prepared.withdraw`. @returns the row before that, if any */
export async function withdraw(transaction: Transaction, which: SQL, at = 0) {
  const { orm, locking } = transaction;
  const row = await rowOf(transaction, prepared, sql`${which} ${locking("for update")}`);
  if (!row) return null;
  const expiresAt = Math.max(row.expiresAt, Math.floor(at));
  const unsigned = row.sponsoredDay === null && { signature: null, transaction: null };
  await orm
    .update(prepared)
    .set({ status: "prepared", ...unsigned, expiresAt, ...NO_LEASE })
    .where(eq(prepared.id, row.id));
  return row;
}

export async function addEventOfToken(
  transaction: Transaction,
  type: AgentEventType,
  { tokenId, ...subject }: Omit<EventSubject, "launchSeq"> & { readonly tokenId: number | null },
): Promise<void> {
  const token = await rowOf(transaction, tokens, sql`id = ${tokenId}`);
  if (!token) throw new Error("a claim refers to its token");
  await addEvents(transaction, type, [{ ...subject, launchSeq: token.launchSeq }]);
}

/** Stores the payouts above 0. @returns the tokens that they are for */
async function storePayouts({ orm }: Transaction, claimId: number, parts: readonly TokenPayout[]) {
  const paid = parts
    .map((part, position) => ({ claimId, position, ...part }))
    .filter(({ bondingCurve, liquidityPool }) => bondingCurve + liquidityPool > 0n);
  const rows = paid.map(({ tokenMint, ...part }) => ({ ...part, tokenId: idOf(tokenMint) }));
  if (rows.length > 0) await orm.insert(payouts).values(rows);
  return paid.map(({ tokenMint }) => tokenMint);
}

function isAtRisk(wallet: string, day: SQL): SQL {
  return sql`prepared.wallet = ${wallet} and sponsored_day = ${day} and status <> 'confirmed'`;
}

export function isSentBy(id: number, leaseId: string): SQL {
  return sql`id = ${id} and lease_id = ${leaseId} and status = 'submitted'`;
}

/** Returns the journal of a row that an agent signed. `record` also leases the row. */
export function preparedJournal(
  store: Prepared,
  row: PreparedRow & { readonly lease: LeaseTerms },
  limits?: SubmitLimits,
  onStored = () => {},
): Journal {
  const { lease, lastValidBlockHeight } = row;
  return {
    async record({ signature, transaction }) {
      const stored = await store.submit(row, lease, { signature, transaction }, limits);
      onStored();
      return stored && { ...stored, lastValidBlockHeight };
    },
  };
}
