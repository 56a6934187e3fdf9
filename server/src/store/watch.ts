import { and, eq, gt, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { HOUR_MS } from "../base/clock.ts";
import { type Database, isOver, rowOf } from "./database.ts";
import { addEvents, type OnEvents } from "./events.ts";
import { feeThresholds, tokens } from "./schema.ts";
import { HOLDER, OWNER } from "./tokens.ts";

/** A token whose pool may bring an event or a price. */
export type WatchedToken = Awaited<ReturnType<Watch["all"]>>[number];

const WATCH_LEASE = "pool watch";

/** The threshold of a token's owner, or null. A text holds any size. */
const THRESHOLD = sql`cast((select lamports from fee_thresholds as own
  where own.wallet = ${OWNER}) as text)`;

/** Whether a wallet has a token's fees and, if it received the token, has accepted it. */
const isOf = (wallet: string) => sql`((tokens.wallet = ${wallet} and holder is null)
  or (holder = ${wallet} and accepted_at is not null))`;

const TOLD_IN = { "token.migrated": "migratedAt", "fees.claimable": "feesToldAt" } as const;

export class Watch {
  constructor(
    private readonly db: Database,
    private readonly onEvents: OnEvents,
  ) {}

  async threshold(wallet: string): Promise<bigint | null> {
    const ofWallet = sql`wallet = ${wallet}`;
    const row = await this.db.read((session) => rowOf(session, feeThresholds, ofWallet));
    return row?.lamports ?? null;
  }

  async setThreshold(wallet: string, lamports: bigint): Promise<void> {
    await this.db.transaction(
      ({ orm }) =>
        orm
          .insert(feeThresholds)
          .values({ wallet, lamports })
          .onConflictDoUpdate({ target: feeThresholds.wallet, set: { lamports } }),
      lockOf(wallet),
    );
  }

  /** Deletes the threshold. The next threshold reports each token again. */
  async deleteThreshold(wallet: string): Promise<void> {
    await this.db.transaction(async (transaction) => {
      await transaction.run(sql`update tokens set fees_told_at = null
        where ${isOf(wallet)} and fees_told_at is not null`);
      await transaction.run(sql`delete from fee_thresholds where wallet = ${wallet}`);
    }, lockOf(wallet));
  }

  all(after: number, limit: number) {
    return this.#watched(undefined, after, limit);
  }

  /** Lists wallets with migrated tokens and a threshold. Anyone may set one for any number of wallets. */
  async walletsToRead(after: string, limit: number): Promise<string[]> {
    const rows = await this.db.read((session) =>
      session.all(sql<{ wallet: string }>`select distinct ${OWNER} as wallet from tokens
        where migrated_at is not null and ${OWNER} > ${after} and ${THRESHOLD} is not null
        order by 1 limit ${limit}`),
    );
    return rows.map(({ wallet }) => wallet);
  }

  migratedOf(wallet: string, after: number, limit: number): Promise<WatchedToken[]> {
    const isMigrated = and(isOf(wallet), isNotNull(tokens.migratedAt));
    return this.#watched(sql`${isMigrated} and ${THRESHOLD} is not null`, after, limit);
  }

  migrate(tokenMint: string): Promise<boolean> {
    return this.#tell("token.migrated", eq(tokens.tokenMint, tokenMint));
  }

  /**
   * Tells the agent that its fees have reached the threshold, unless it was told before, or has
   * claimed or changed its threshold since the token was read. Returns whether it did.
   */
  async tellFees({ wallet, tokenMint, claimedAt, threshold }: WatchedToken): Promise<boolean> {
    if (threshold === null) return false;
    const isAsSeen = sql`token_mint = ${tokenMint} and ${THRESHOLD} = ${threshold.toString()}
      and claimed_at is not distinct from cast(${claimedAt} as bigint)`;
    return await this.#tell("fees.claimable", isAsSeen, lockOf(wallet));
  }

  /** Lets the agent be told again when the fees next reach the threshold. */
  async rearm(tokenMint: string): Promise<void> {
    await this.db.transaction(({ orm }) =>
      orm.update(tokens).set({ feesToldAt: null }).where(eq(tokens.tokenMint, tokenMint)),
    );
  }

  async lease(leaseId: string, milliseconds: number): Promise<boolean> {
    const longest = 2 * (milliseconds || HOUR_MS);
    const leased = await this.db.transaction((transaction) =>
      transaction.run(sql`insert into leases as held (name, lease_id, lease_until)
        values (${WATCH_LEASE}, ${leaseId}, ${transaction.now} + ${milliseconds})
        on conflict (name) do update
          set lease_id = excluded.lease_id, lease_until = excluded.lease_until
          where held.lease_id = excluded.lease_id or ${isOver(transaction, sql`held.lease_until`, longest)}`),
    );
    return leased > 0;
  }

  #watched(which: SQL | undefined, after: number, limit: number) {
    const { id, tokenMint, poolAddress, claimedAt, heldSince } = tokens;
    const common = { id, wallet: HOLDER, tokenMint, poolAddress, claimedAt, heldSince };
    // Whether the agent was told that the fees reached its threshold, and they have stayed there.
    const isTold = sql`fees_told_at is not null`.mapWith(Boolean);
    const isMigrated = sql`migrated_at is not null`.mapWith(Boolean);
    const threshold = THRESHOLD.mapWith(BigInt) as SQL<bigint | null>;
    return this.db.read(({ orm }) =>
      orm
        .select({ ...common, isMigrated, isTold, threshold })
        .from(tokens)
        .where(and(which, gt(tokens.id, after)))
        .orderBy(tokens.id)
        .limit(limit),
    );
  }

  async #tell(type: keyof typeof TOLD_IN, which: SQL, locks: readonly string[] = []) {
    const column = TOLD_IN[type];
    const { launchSeq } = tokens;
    const told = await this.db.transaction(async (transaction) => {
      const { orm, now } = transaction;
      const [subject] = await orm
        .update(tokens)
        .set({ [column]: now })
        .where(and(which, isNull(tokens[column])))
        .returning({ wallet: OWNER, launchSeq });
      if (!subject) return null;
      const { wallet } = subject;
      // A token that its holder has not accepted raises no events.
      if (wallet !== null) await addEvents(transaction, type, [{ ...subject, wallet }]);
      return subject;
    }, locks);
    if (told?.wallet) this.onEvents(told.wallet);
    return told !== null;
  }
}

/** Changes of a wallet's threshold and the notices they cause take turns. */
const lockOf = (wallet: string) => [`fee threshold of ${wallet}`];
