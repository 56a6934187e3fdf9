import { count, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Clock } from "../../base/clock.ts";
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
import { paidMints } from "../payout-rows.ts";
import { claims, tokens } from "../schema.ts";
import type { Page } from "../token-store.ts";
import { readHistory, readPaidByToken, storePayouts } from "./claim-history.ts";
import type { Database } from "./database.ts";
import { addEvents } from "./event-writer.ts";

/** The claim table. Each call is one synchronous transaction. */
export class SqliteClaimStore implements ClaimStore {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #onEvents: OnEvents;

  constructor(db: Database, clock: Clock, onEvents: OnEvents) {
    this.#db = db;
    this.#clock = clock;
    this.#onEvents = onEvents;
  }

  async prepare(claim: PreparedClaimRow): Promise<void> {
    this.#db.transaction(
      (tx) => {
        tx.delete(claims).where(isExpired(claim.preparedAt)).run();
        tx.insert(claims).values(claim).onConflictDoNothing({ target: claims.messageHash }).run();
        // In SQL: drizzle leaves out a `limit` of -1, which SQLite needs before an `offset`.
        tx.delete(claims)
          .where(
            sql`id in (
              select id from claims where status = 'prepared' and token_mint = ${claim.tokenMint}
                and sponsored_day is null
              order by id desc limit -1 offset ${UNSIGNED_PER_TOKEN})`,
          )
          .run();
      },
      { behavior: "immediate" },
    );
  }

  async forgetExpired(now: number): Promise<void> {
    this.#db.delete(claims).where(isExpired(now)).run();
  }

  async find(
    wallet: string,
    tokenMint: string | null,
    messageHash: string,
  ): Promise<ClaimRow | null> {
    const ofToken = tokenMint === null ? sql`` : sql` and ${claims.tokenMint} = ${tokenMint}`;
    const row = this.#db
      .select()
      .from(claims)
      .where(sql`${claims.messageHash} = ${messageHash} and ${claims.wallet} = ${wallet}${ofToken}`)
      .get();
    return row ?? null;
  }

  async sponsoredAtRisk(wallet: string): Promise<ClaimRow[]> {
    const today = utcDay(this.#clock.now());
    return this.#db.select().from(claims).where(isAtRisk(wallet, today)).all();
  }

  async clearRisk(id: number): Promise<void> {
    this.#db
      .update(claims)
      .set({ sponsoredDay: null })
      .where(sql`id = ${id} and status = 'prepared'`)
      .run();
  }

  async read(id: number): Promise<ClaimRow | null> {
    return this.#db.select().from(claims).where(eq(claims.id, id)).get() ?? null;
  }

  async submit(
    id: number,
    lease: ClaimLease,
    signature: string,
    transaction: Uint8Array,
    maxAtRisk?: number,
  ): Promise<SubmitOutcome> {
    const now = this.#clock.now();
    const today = utcDay(now);
    return this.#db.transaction(
      (tx): SubmitOutcome => {
        const claim = tx.select().from(claims).where(eq(claims.id, id)).get();
        if (!claim) return { kind: "gone" };
        const { status, paidLamports } = claim;
        if (status === "confirmed" && claim.signature !== null && paidLamports !== null) {
          return { kind: "confirmed", signature: claim.signature, paidLamports };
        }
        let { sponsoredDay } = claim;
        if (maxAtRisk !== undefined && sponsoredDay === null) {
          const { atRisk = 0 } =
            tx
              .select({ atRisk: count() })
              .from(claims)
              .where(isAtRisk(claim.wallet, today))
              .get() ?? {};
          if (atRisk >= maxAtRisk) return { kind: "sponsor_spent" };
          sponsoredDay = today;
        }
        const sent = {
          signature: claim.signature ?? signature,
          transaction: claim.transaction ?? Buffer.from(transaction),
        };
        const leased = tx
          .update(claims)
          .set({
            ...sent,
            sponsoredDay,
            status: "submitted",
            leaseId: lease.id,
            leaseUntil: now + lease.ms,
          })
          .where(sql`id = ${id} and (${isFree(now)} or lease_id = ${lease.id})`)
          .returning({ id: claims.id })
          .get();
        if (!leased) return { kind: "held" };
        return { kind: "leased", ...sent, mayBeUnderWay: status === "submitted" };
      },
      { behavior: "immediate" },
    );
  }

  async renew(id: number, lease: ClaimLease): Promise<boolean> {
    const renewed = this.#db
      .update(claims)
      .set({ leaseUntil: this.#clock.now() + lease.ms })
      .where(isHeldBy(id, lease.id))
      .returning({ id: claims.id })
      .get();
    return renewed !== undefined;
  }

  async release(id: number, leaseId: string): Promise<void> {
    this.#db
      .update(claims)
      .set({ leaseId: null, leaseUntil: null })
      .where(isHeldBy(id, leaseId))
      .run();
  }

  async withdraw(
    id: number,
    leaseId: string,
    now: number,
    reason: "refused" | "expired" = "refused",
  ): Promise<void> {
    const wallet = this.#db.transaction(
      (tx) => {
        const held = tx
          .select({
            wallet: claims.wallet,
            tokenMint: claims.tokenMint,
            otherMints: claims.otherMints,
            signature: claims.signature,
          })
          .from(claims)
          .where(isHeldBy(id, leaseId))
          .get();
        if (!held) return null;
        tx.update(claims)
          .set({
            status: "prepared",
            signature: sql`case when sponsored_day is null then null else signature end`,
            transaction: sql`case when sponsored_day is null then null else "transaction" end`,
            leaseId: null,
            leaseUntil: null,
            expiresAt: sql`max(expires_at, ${now})`,
          })
          .where(eq(claims.id, id))
          .run();
        if (reason === "refused") return null;
        this.#addEvent(tx, "claim.expired", held);
        return held.wallet;
      },
      { behavior: "immediate" },
    );
    if (wallet !== null) this.#onEvents(wallet);
  }

  async confirm(
    claim: Pick<ClaimRow, "id" | "wallet" | "tokenMint" | "otherMints">,
    paid: PaidClaim,
  ): Promise<void> {
    const isFirst = this.#db.transaction(
      (tx) => {
        const confirmed = tx
          .update(claims)
          .set({
            status: "confirmed",
            signature: paid.signature,
            paidLamports: paid.lamports,
            confirmedAt: paid.at,
            paidSeq: sql`(select coalesce(max(paid_seq), 0) + 1 from claims
              where wallet = ${claim.wallet} and status = 'confirmed')`,
            transaction: null,
            leaseId: null,
            leaseUntil: null,
          })
          .where(sql`id = ${claim.id} and status <> 'confirmed'`)
          .returning({ id: claims.id })
          .get();
        if (!confirmed) return false;
        storePayouts(tx, claim.id, paid.payouts);
        tx.update(tokens)
          .set({ claimedAt: paid.at, claimedTo: claim.wallet, feesToldAt: null })
          .where(inArray(tokens.tokenMint, paidMints(paid)))
          .run();
        this.#addEvent(tx, "claim.confirmed", { ...claim, signature: paid.signature });
        return true;
      },
      { behavior: "immediate" },
    );
    if (isFirst) this.#onEvents(claim.wallet);
  }

  async history(wallet: string, part: HistoryPart): Promise<Page<PaidTokenRow>> {
    return readHistory(this.#db, wallet, part);
  }

  async paidByToken(wallet: string): Promise<ReadonlyMap<string, TokenSum>> {
    return readPaidByToken(this.#db, wallet);
  }

  async unsettled(): Promise<ClaimRow[]> {
    const now = this.#clock.now();
    return this.#db
      .select()
      .from(claims)
      .where(sql`status = 'submitted' and ${isFree(now)}`)
      .all();
  }

  async countSubmitted(): Promise<number> {
    return this.#db.$count(claims, sql`status = 'submitted'`);
  }

  async recover(): Promise<void> {
    this.#db
      .update(claims)
      .set({ leaseId: null, leaseUntil: null })
      .where(sql`status = 'submitted' and lease_id is not null`)
      .run();
  }

  #addEvent(
    tx: Pick<Database, "select" | "insert">,
    type: EventType,
    {
      wallet,
      tokenMint,
      otherMints,
      signature,
    }: Pick<ClaimRow, "wallet" | "tokenMint" | "otherMints" | "signature">,
  ): void {
    const subjects = tx
      .select({ eventId: tokens.eventId, ticker: tokens.ticker })
      .from(tokens)
      .where(eq(tokens.tokenMint, tokenMint))
      .all();
    addEvents(
      tx,
      wallet,
      type,
      this.#clock.now(),
      subjects.map((subject) => ({
        ...subject,
        tokenMint,
        otherMints,
        transactionHash: signature,
      })),
    );
  }
}

/** A claim that its sponsor may have lost a fee to is kept until the day is over. */
function isExpired(now: number): SQL {
  return sql`status = 'prepared' and expires_at < ${now - REMEMBERED_MS}
    and (sponsored_day is null or sponsored_day < ${utcDay(now - REMEMBERED_MS)})`;
}

function isAtRisk(wallet: string, day: string): SQL {
  return sql`wallet = ${wallet} and sponsored_day = ${day} and status <> 'confirmed'`;
}

function isFree(now: number): SQL {
  return sql`(lease_id is null or lease_until <= ${now} or lease_until > ${now + LONGEST_LEASE_MS})`;
}

function isHeldBy(id: number, leaseId: string): SQL {
  return sql`id = ${id} and status = 'submitted' and lease_id = ${leaseId}`;
}
