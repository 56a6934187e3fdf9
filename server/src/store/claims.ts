import { eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import { utcDay } from "../base/utc-day.ts";
import type { LandedClaim } from "../domain/claim.ts";
import type { EventType } from "../domain/event-type.ts";
import type { LeaseTerms } from "../domain/lease.ts";
import {
  type HistoryPart,
  type PaidTokenRow,
  readHistory,
  readPaidByToken,
  storePayouts,
  type TokenSum,
} from "./claim-history.ts";
import type { Database, Dialect, Session, Transaction } from "./database.ts";
import { addEvents, type OnEvents } from "./events.ts";
import { JSON_COLUMN } from "./json-column.ts";
import { claims, tokens } from "./schema.ts";
import type { Page } from "./tokens.ts";

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

/**
 * No claim is leased for longer than this, in milliseconds. If one seems to be, the clock has
 * stepped back since, and the lease counts as run out.
 */
const LONGEST_LEASE_MS = 120_000;

/** A claim transaction that the service hands out unsigned. */
export interface PreparedClaimRow {
  readonly wallet: string;
  readonly tokenMint: string;
  /** Further tokens whose fees it takes. */
  readonly otherMints?: readonly string[];
  /** SHA-256 of the message that the agent signs. */
  readonly messageHash: string;
  readonly lastValidBlockHeight: number;
  /** Milliseconds of `Store.clock`, as all times here. */
  readonly preparedAt: number;
  readonly expiresAt: number;
}

/** A claim with all that is known of it. */
export interface ClaimRow extends PreparedClaimRow {
  readonly id: number;
  readonly otherMints: readonly string[];
  /** `prepared`: handed out unsigned. `submitted`: stored, perhaps sent. `confirmed`: has paid. */
  readonly status: "prepared" | "submitted" | "confirmed";
  readonly signature: string | null;
  readonly transaction: Uint8Array | null;
  readonly paidLamports: bigint | null;
  readonly confirmedAt: number | null;
  /** The UTC day in which it was first submitted with a sponsor's signature; null without one. */
  readonly sponsoredDay: string | null;
}

/** What a claim paid, and when that is recorded. */
export type ClaimPayment = LandedClaim & { readonly at: number };

/**
 * `leased`: send these bytes. `held`: another server sends it now. `gone`: it was deleted.
 * `sponsor_spent`: too many sponsored claims of the wallet have not succeeded today.
 */
export type SubmitOutcome =
  | {
      readonly kind: "leased";
      readonly signature: string;
      readonly transaction: Uint8Array;
      /** Whether it may have been sent before. */
      readonly mayBeUnderWay: boolean;
    }
  | { readonly kind: "confirmed"; readonly signature: string; readonly paidLamports: bigint }
  | { readonly kind: "held" | "gone" | "sponsor_spent" };

const { leaseId: _id, leaseUntil: _until, ...COLUMNS } = getTableColumns(claims);
const NO_LEASE = { leaseId: null, leaseUntil: null };

/** Above what one token may have of unsigned claims. */
const MANY = 1_000_000;

/** Claim transactions that were handed out, and their outcomes. */
export class Claims {
  readonly #db: Database;
  readonly #onEvents: OnEvents;

  constructor(db: Database, onEvents: OnEvents) {
    this.#db = db;
    this.#onEvents = onEvents;
  }

  /** Stores a claim. Deletes unsigned ones that expired, and this token's oldest above its share. */
  async prepare(claim: PreparedClaimRow): Promise<void> {
    await this.#db.transaction(async (transaction) => {
      await deleteExpired(transaction, claim.preparedAt);
      const { orm, locking } = transaction;
      await orm.insert(claims).values(claim).onConflictDoNothing({ target: claims.messageHash });
      await transaction.run(sql`delete from claims where id in (
        select id from claims where status = 'prepared' and token_mint = ${claim.tokenMint}
          and sponsored_day is null
        order by id desc limit ${MANY} offset ${UNSIGNED_PER_TOKEN} ${locking("for update skip locked")})`);
    });
  }

  /** Deletes the claims that expired unsigned. */
  async forgetExpired(now: number): Promise<void> {
    await this.#db.write((session) => deleteExpired(session, now));
  }

  /** The claim of this wallet and token that has this message; null for any token. */
  async find(
    wallet: string,
    tokenMint: string | null,
    messageHash: string,
  ): Promise<ClaimRow | null> {
    const ofToken = tokenMint === null ? sql.empty() : sql`and token_mint = ${tokenMint}`;
    const which = sql`message_hash = ${messageHash} and wallet = ${wallet} ${ofToken}`;
    return (await this.#select(() => which))[0] ?? null;
  }

  /**
   * Sponsored claims of this wallet that were submitted in the current UTC day and are not confirmed.
   * They are kept until the day is over, or {@link clearRisk} is called.
   */
  sponsoredAtRisk(wallet: string): Promise<ClaimRow[]> {
    return this.#select((session) => isAtRisk(session, wallet));
  }

  /** Notes that a sponsored claim has cost nothing and never will. Does nothing while it is submitted. */
  async clearRisk(id: number): Promise<void> {
    await this.#db.write((session) =>
      session.run(
        sql`update claims set sponsored_day = null where id = ${id} and status = 'prepared'`,
      ),
    );
  }

  /** A claim by its id; null if it was deleted. */
  async read(id: number): Promise<ClaimRow | null> {
    return (await this.#select(() => sql`id = ${id}`))[0] ?? null;
  }

  /**
   * Leases a claim for `leaseMs` to send it, and stores the signed transaction before that; called before it is first
   * sent. The first transaction that is stored stays: a second signature of the same message is not
   * kept. One server at a time sends a claim.
   *
   * @param maxAtRisk if the claim is sponsored: how many of the wallet's sponsored claims may be
   * submitted and without success in the UTC day, this one included
   */
  async submit(
    id: number,
    lease: LeaseTerms,
    signature: string,
    transaction: Uint8Array,
    maxAtRisk?: number,
  ): Promise<SubmitOutcome> {
    return await this.#db.transaction(async (tx): Promise<SubmitOutcome> => {
      const claim = await tx.get<Submittable>(sql`select wallet, status, signature, "transaction",
          paid_lamports as "paidLamports", sponsored_day as "sponsoredDay",
          (lease_id = ${lease.id} or ${isFree(tx)}) as "isFree"
        from claims where id = ${id} ${tx.locking("for update")}`);
      if (!claim) return { kind: "gone" };
      if (claim.status === "confirmed") {
        const paidLamports = BigInt(claim.paidLamports ?? 0);
        return { kind: "confirmed", signature: claim.signature ?? "", paidLamports };
      }
      if (!claim.isFree) return { kind: "held" };
      const isNewlySponsored = maxAtRisk !== undefined && claim.sponsoredDay === null;
      if (isNewlySponsored) {
        // Its holder waits for nothing more, so servers cannot block each other.
        await tx.lock(`sponsored claims of ${claim.wallet}`);
        const atRisk = await tx.orm.$count(claims, isAtRisk(tx, claim.wallet));
        if (atRisk >= maxAtRisk) return { kind: "sponsor_spent" };
      }
      const stored = {
        signature: claim.signature ?? signature,
        transaction: claim.transaction ?? transaction,
      };
      const day = isNewlySponsored ? tx.today : sql`sponsored_day`;
      await tx.run(sql`update claims set status = 'submitted', signature = ${stored.signature},
          "transaction" = ${stored.transaction}, sponsored_day = ${day},
          lease_id = ${lease.id}, lease_until = ${tx.now} + ${lease.ms}
        where id = ${id}`);
      return { kind: "leased", ...stored, mayBeUnderWay: claim.status === "submitted" };
    });
  }

  /** Extends the lease. @returns false if it is lost */
  async renew(id: number, lease: LeaseTerms): Promise<boolean> {
    const renewed = await this.#db.write((session) =>
      session.run(sql`update claims set lease_until = ${session.now} + ${lease.ms}
        where ${isSentBy(id, lease.id)}`),
    );
    return renewed > 0;
  }

  /** Gives a submitted claim with an unknown outcome back, to be sent again by any server. */
  async release(id: number, leaseId: string): Promise<void> {
    await this.#db.write(({ orm }) =>
      orm.update(claims).set(NO_LEASE).where(isSentBy(id, leaseId)),
    );
  }

  /**
   * Takes back a submission that the chain refused or that expired: it moved nothing. Does nothing
   * if the lease is lost. If the claim has expired already, it is kept as long as one that expires
   * now. A sponsored one keeps what was signed: it may have cost a fee, and is never signed again.
   *
   * @param reason adds an event if the claim expired; one that the chain refused has an answer
   */
  async withdraw(
    id: number,
    leaseId: string,
    now: number,
    reason: "refused" | "expired" = "refused",
  ): Promise<void> {
    const wallet = await this.#db.transaction(async (transaction) => {
      const { greatest, locking } = transaction;
      const held = await transaction.get<Withdrawn>(sql`select wallet, token_mint as "tokenMint",
          other_mints as "otherMints", signature
        from claims where ${isSentBy(id, leaseId)} ${locking("for update")}`);
      if (!held) return null;
      await transaction.run(sql`update claims set status = 'prepared',
          signature = case when sponsored_day is null then null else signature end,
          "transaction" = case when sponsored_day is null then null else "transaction" end,
          expires_at = ${greatest}(expires_at, ${now}), lease_id = null, lease_until = null
        where id = ${id}`);
      if (reason === "refused") return null;
      const otherMints = JSON_COLUMN.fromDriver(held.otherMints);
      await addEventOfToken(transaction, "claim.expired", { ...held, otherMints });
      return held.wallet;
    });
    if (wallet !== null) this.#onEvents(wallet);
  }

  /**
   * Records what a claim and each of its tokens paid, and on the tokens the time and the recipient unless it paid
   * nothing; all or nothing. It has landed, so no lease is asked for. Does nothing if it is recorded already.
   */
  async confirm(
    {
      id,
      wallet,
      tokenMint,
      otherMints,
    }: Pick<ClaimRow, "id" | "wallet" | "tokenMint" | "otherMints">,
    { signature, paidLamports, payouts, at }: ClaimPayment,
  ): Promise<void> {
    const isFirst = await this.#db.transaction(
      async (transaction) => {
        const { orm } = transaction;
        const confirmed = await orm
          .update(claims)
          .set({
            ...{ status: "confirmed", signature, paidLamports, confirmedAt: at },
            ...{ transaction: null, ...NO_LEASE },
            paidSeq: sql`(select coalesce(max(paid_seq), 0) + 1 from claims
              where wallet = ${wallet} and status = 'confirmed')`,
          })
          .where(sql`id = ${id} and status <> 'confirmed'`)
          .returning({ id: claims.id });
        if (confirmed.length === 0) return false;
        const mints = await storePayouts(transaction, id, payouts);
        await orm
          .update(tokens)
          .set({ claimedAt: at, claimedTo: wallet, feesToldAt: null })
          .where(inArray(tokens.tokenMint, mints));
        const claim = { wallet, tokenMint, otherMints, signature };
        await addEventOfToken(transaction, "claim.confirmed", claim);
        return true;
      },
      // A wallet's claims take turns, so that they commit in the order of their places.
      [`history ${wallet}`],
    );
    if (isFirst) this.#onEvents(wallet);
  }

  /**
   * What a wallet's claims have paid, newest first: an entry for each token of a claim that paid
   * something. A claim gets
   * its place in the transaction that records it, and a wallet's claims commit in the order of their
   * places: what is recorded later stands before all that was read, so a cursor skips none.
   */
  history(wallet: string, part: HistoryPart): Promise<Page<PaidTokenRow>> {
    return this.#db.read((session) => readHistory(session, wallet, part));
  }

  /** What a wallet's claims have paid, summed for each token; nothing for a token without claims. */
  paidByToken(wallet: string): Promise<ReadonlyMap<string, TokenSum>> {
    return this.#db.read((session) => readPaidByToken(session, wallet));
  }

  /** Submitted claims that no server holds: their outcome is unknown. */
  unsettled(): Promise<ClaimRow[]> {
    return this.#select((session) => sql`status = 'submitted' and ${isFree(session)}`);
  }

  /** How many claims are submitted, and neither confirmed nor withdrawn. */
  countSubmitted(): Promise<number> {
    return this.#db.read(({ orm }) => orm.$count(claims, sql`status = 'submitted'`));
  }

  /** Frees all leases of an earlier process; does nothing on a shared store, on which they run out. */
  async recover(): Promise<void> {
    if (this.#db.isShared) return;
    await this.#db.write(({ orm }) =>
      orm.update(claims).set(NO_LEASE).where(sql`status = 'submitted' and lease_id is not null`),
    );
  }

  #select(which: (session: Session) => SQL): Promise<ClaimRow[]> {
    return this.#db.read((session) =>
      session.orm.select(COLUMNS).from(claims).where(which(session)),
    );
  }
}

/** What decides whether a claim is leased, as it is stored. */
interface Submittable
  extends Pick<ClaimRow, "wallet" | "status" | "signature" | "transaction" | "sponsoredDay"> {
  readonly paidLamports: string | bigint | null;
  readonly isFree: boolean | 0 | 1;
}

interface Withdrawn extends Pick<ClaimRow, "wallet" | "tokenMint" | "signature"> {
  readonly otherMints: string;
}

async function deleteExpired(session: Session, now: number): Promise<void> {
  const until = now - REMEMBERED_MS;
  // A claim that its sponsor may have lost a fee to is kept until the day is over.
  await session.run(sql`delete from claims where status = 'prepared' and expires_at < ${until}
    and (sponsored_day is null or sponsored_day < ${utcDay(until)})`);
}

async function addEventOfToken(
  transaction: Transaction,
  type: EventType,
  {
    wallet,
    tokenMint,
    otherMints,
    signature,
  }: Pick<ClaimRow, "wallet" | "tokenMint" | "otherMints" | "signature">,
): Promise<void> {
  const found = await transaction.orm
    .select({ eventId: tokens.eventId, ticker: tokens.ticker })
    .from(tokens)
    .where(eq(tokens.tokenMint, tokenMint));
  const subject = { wallet, tokenMint, otherMints, transactionHash: signature };
  await addEvents(
    transaction,
    type,
    found.map((token) => ({ ...token, ...subject })),
  );
}

function isAtRisk({ today }: Dialect, wallet: string): SQL {
  return sql`wallet = ${wallet} and sponsored_day = ${today} and status <> 'confirmed'`;
}

/** Whether no server holds a row. */
export function isFree({ now }: Dialect): SQL {
  return sql`(lease_id is null or lease_until <= ${now} or lease_until > ${now} + ${LONGEST_LEASE_MS})`;
}

function isSentBy(id: number, leaseId: string): SQL {
  return sql`id = ${id} and lease_id = ${leaseId} and status = 'submitted'`;
}
