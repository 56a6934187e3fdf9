import { and, eq, getTableColumns, inArray, type SQL, sql } from "drizzle-orm";
import { utcDay } from "../../base/utc-day.ts";
import type { EventType } from "../../domain/event-type.ts";
import {
  type ClaimLease,
  type ClaimRow,
  type ClaimStore,
  type HistoryPart,
  LONGEST_LEASE_MS,
  type PaidClaim,
  type PaidTokenRow,
  type PreparedClaimRow,
  REMEMBERED_MS,
  type SubmitOutcome,
  type TokenSum,
  UNSIGNED_PER_TOKEN,
} from "../claim-store.ts";
import type { OnEvents } from "../event-store.ts";
import { JSON_COLUMN } from "../json-column.ts";
import { paidMints } from "../payout-rows.ts";
import type { Page } from "../token-store.ts";
import { readHistory, readPaidByToken, storePayouts } from "./claim-history.ts";
import type { PostgresDatabase, Session, Statement } from "./database.ts";
import { addEvents } from "./event-writer.ts";
import { lockAll } from "./locks.ts";
import { claims, tokens } from "./schema.ts";
import { utcDayOf } from "./server-time.ts";

const { leaseId: _id, leaseUntil: _until, ...COLUMNS } = getTableColumns(claims);
const NO_LEASE = { leaseId: null, leaseUntil: null };

/** Claim transactions that were handed out, and their outcomes. */
export class PostgresClaimStore implements ClaimStore {
  readonly #db: PostgresDatabase;
  readonly #time;
  readonly #today;
  readonly #onEvents: OnEvents;
  readonly #addConfirmed: Statement;
  readonly #addExpired: Statement;

  /** @param time SQL for the database's time in milliseconds */
  constructor(db: PostgresDatabase, time: string, onEvents: OnEvents) {
    this.#db = db;
    this.#time = sql.raw(time);
    this.#today = sql.raw(utcDayOf(time));
    this.#onEvents = onEvents;
    this.#addConfirmed = addEventOfToken("claim.confirmed", time);
    this.#addExpired = addEventOfToken("claim.expired", time);
  }

  async prepare(claim: PreparedClaimRow): Promise<void> {
    await this.#db.transaction(async (session) => {
      await deleteExpired(session, claim.preparedAt);
      await session.orm
        .insert(claims)
        .values(claim)
        .onConflictDoNothing({ target: claims.messageHash });
      await session.orm.delete(claims).where(
        sql`id in (
          select id from claims where status = 'prepared' and token_mint = ${claim.tokenMint}
            and sponsored_day is null
          order by id desc offset ${UNSIGNED_PER_TOKEN} for update skip locked)`,
      );
    });
  }

  async forgetExpired(now: number): Promise<void> {
    await this.#db.write((session) => deleteExpired(session, now));
  }

  async find(
    wallet: string,
    tokenMint: string | null,
    messageHash: string,
  ): Promise<ClaimRow | null> {
    const [row] = await this.#db.read(({ orm }) =>
      orm
        .select(COLUMNS)
        .from(claims)
        .where(
          and(
            eq(claims.messageHash, messageHash),
            eq(claims.wallet, wallet),
            tokenMint === null ? undefined : eq(claims.tokenMint, tokenMint),
          ),
        ),
    );
    return row ?? null;
  }

  async sponsoredAtRisk(wallet: string): Promise<ClaimRow[]> {
    return await this.#db.read(({ orm }) =>
      orm.select(COLUMNS).from(claims).where(this.#isAtRisk(wallet)),
    );
  }

  async clearRisk(id: number): Promise<void> {
    await this.#db.write(({ orm }) =>
      orm.update(claims).set({ sponsoredDay: null }).where(sql`id = ${id} and status = 'prepared'`),
    );
  }

  async read(id: number): Promise<ClaimRow | null> {
    const [row] = await this.#db.read(({ orm }) =>
      orm.select(COLUMNS).from(claims).where(eq(claims.id, id)),
    );
    return row ?? null;
  }

  async submit(
    id: number,
    lease: ClaimLease,
    signature: string,
    transaction: Uint8Array,
    maxAtRisk?: number,
  ): Promise<SubmitOutcome> {
    return await this.#db.transaction(async (session): Promise<SubmitOutcome> => {
      const { orm } = session;
      const isFree = sql<boolean>`(${claims.leaseId} is null or ${claims.leaseId} = ${lease.id}
        or ${this.#hasRunOut()})`;
      const [claim] = await forUpdate(
        orm
          .select({ ...COLUMNS, isFree })
          .from(claims)
          .where(eq(claims.id, id)),
      );
      if (!claim) return { kind: "gone" };
      const before = { signature: claim.signature, transaction: claim.transaction };
      if (claim.status === "confirmed") {
        return {
          kind: "confirmed",
          signature: before.signature ?? "",
          paidLamports: claim.paidLamports ?? 0n,
        };
      }
      if (!claim.isFree) return { kind: "held" };
      const isNewlySponsored = maxAtRisk !== undefined && claim.sponsoredDay === null;
      if (isNewlySponsored) {
        // Its holder waits for nothing more, so servers cannot block each other.
        await session.run(lockAll([`sponsored claims of ${claim.wallet}`]));
        const atRisk = await orm.$count(claims, this.#isAtRisk(claim.wallet));
        if (atRisk >= maxAtRisk) return { kind: "sponsor_spent" };
      }
      const stored = {
        signature: before.signature ?? signature,
        transaction: before.transaction ?? Buffer.from(transaction),
      };
      await orm
        .update(claims)
        .set({
          ...{ status: "submitted", ...stored, ...this.#held(lease) },
          ...(isNewlySponsored && { sponsoredDay: sql`${this.#today}` }),
        })
        .where(eq(claims.id, id));
      return { kind: "leased", ...stored, mayBeUnderWay: claim.status === "submitted" };
    });
  }

  async renew(id: number, lease: ClaimLease): Promise<boolean> {
    const renewed = await this.#db.write(({ orm }) =>
      orm
        .update(claims)
        .set(this.#held(lease))
        .where(isSentBy(id, lease.id))
        .returning({ id: claims.id }),
    );
    return renewed.length > 0;
  }

  async release(id: number, leaseId: string): Promise<void> {
    await this.#db.write(({ orm }) =>
      orm.update(claims).set(NO_LEASE).where(isSentBy(id, leaseId)),
    );
  }

  async withdraw(
    id: number,
    leaseId: string,
    now: number,
    reason: "refused" | "expired" = "refused",
  ): Promise<void> {
    const wallet = await this.#db.transaction(async (session) => {
      const { orm } = session;
      const { wallet, tokenMint, otherMints, signature } = claims;
      const [held] = await forUpdate(
        orm
          .select({ wallet, tokenMint, otherMints, signature })
          .from(claims)
          .where(isSentBy(id, leaseId)),
      );
      if (!held) return null;
      await orm
        .update(claims)
        .set({
          status: "prepared",
          signature: sql`case when sponsored_day is null then null else signature end`,
          transaction: sql`case when sponsored_day is null then null else "transaction" end`,
          expiresAt: sql`greatest(expires_at, ${now})`,
          ...NO_LEASE,
        })
        .where(eq(claims.id, id));
      if (reason === "refused") return null;
      await addEvent(session, this.#addExpired, held);
      return held.wallet;
    });
    if (wallet !== null) this.#onEvents(wallet);
  }

  async confirm(
    {
      id,
      wallet,
      tokenMint,
      otherMints,
    }: Pick<ClaimRow, "id" | "wallet" | "tokenMint" | "otherMints">,
    paid: PaidClaim,
  ): Promise<void> {
    const { signature, lamports, payouts, at } = paid;
    const record = async (session: Session) => {
      const { orm } = session;
      const recorded = { signature, paidLamports: lamports, confirmedAt: at, transaction: null };
      const paidSeq = sql`(select coalesce(max(paid_seq), 0) + 1 from claims
        where wallet = ${wallet} and status = 'confirmed')`;
      const confirmed = await orm
        .update(claims)
        .set({ status: "confirmed", ...recorded, paidSeq, ...NO_LEASE })
        .where(sql`id = ${id} and status <> 'confirmed'`)
        .returning({ id: claims.id });
      if (confirmed.length === 0) return false;
      await storePayouts(orm, id, payouts);
      await orm
        .update(tokens)
        .set({ claimedAt: at, claimedTo: wallet, feesToldAt: null })
        .where(inArray(tokens.tokenMint, paidMints(paid)));
      const claim = { wallet, tokenMint, otherMints, signature };
      await addEvent(session, this.#addConfirmed, claim);
      return true;
    };
    // A wallet's claims take turns, so that they commit in the order of their places.
    const isFirst = await this.#db.transaction(record, lockAll([`history ${wallet}`]));
    if (isFirst) this.#onEvents(wallet);
  }

  async history(wallet: string, part: HistoryPart): Promise<Page<PaidTokenRow>> {
    return await this.#db.read((session) => readHistory(session, wallet, part));
  }

  async paidByToken(wallet: string): Promise<ReadonlyMap<string, TokenSum>> {
    return await this.#db.read((session) => readPaidByToken(session, wallet));
  }

  async unsettled(): Promise<ClaimRow[]> {
    return await this.#db.read(({ orm }) =>
      orm
        .select(COLUMNS)
        .from(claims)
        .where(sql`status = 'submitted' and (lease_id is null or ${this.#hasRunOut()})`),
    );
  }

  async countSubmitted(): Promise<number> {
    return await this.#db.read(({ orm }) => orm.$count(claims, sql`status = 'submitted'`));
  }

  /** Nothing: other servers hold their leases, and those of a server that died run out. */
  async recover(): Promise<void> {}

  #isAtRisk(wallet: string): SQL {
    return sql`wallet = ${wallet} and sponsored_day = ${this.#today} and status <> 'confirmed'`;
  }

  #hasRunOut() {
    const { leaseUntil } = claims;
    return sql`(${leaseUntil} <= ${this.#time} or ${leaseUntil} > ${this.#time} + ${LONGEST_LEASE_MS}::bigint)`;
  }

  #held({ id, ms }: ClaimLease) {
    return { leaseId: id, leaseUntil: sql`${this.#time} + ${ms}::bigint` };
  }
}

/** drizzle's types of both engines have no `for`. */
function forUpdate<Query>(query: Query): Query {
  return (query as { for(strength: "update"): Query }).for("update");
}

async function deleteExpired({ orm }: Session, now: number): Promise<void> {
  await orm.delete(claims).where(isExpired(now));
}

/** A claim that its sponsor may have lost a fee to is kept until the day is over. */
function isExpired(now: number): SQL {
  return sql`status = 'prepared' and expires_at < ${now - REMEMBERED_MS}::bigint
    and (sponsored_day is null or sponsored_day < ${utcDay(now - REMEMBERED_MS)})`;
}

/** @returns a statement that adds an event of the wallet $1, the token $2, the transaction $3 and the other tokens $4 */
function addEventOfToken(type: EventType, time: string): Statement {
  return {
    name: `add ${type}`,
    text: `with subject as (
        select $1::text as wallet, ${time} as at, 1 as place, event_id, ticker, token_mint,
          $3::text as transaction_hash, $4::text as other_mints
        from tokens where token_mint = $2),
      ${addEvents(type, "subject")}
      select 1 as one`,
  };
}

async function addEvent(
  session: Session,
  statement: Statement,
  {
    wallet,
    tokenMint,
    otherMints,
    signature,
  }: Pick<ClaimRow, "wallet" | "tokenMint" | "otherMints" | "signature">,
): Promise<void> {
  const others = JSON_COLUMN.toDriver(otherMints);
  await session.rows(statement, wallet, tokenMint, signature, others);
}

function isSentBy(id: number, leaseId: string) {
  return sql`id = ${id} and lease_id = ${leaseId} and status = 'submitted'`;
}
