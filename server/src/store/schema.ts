import { sql } from "drizzle-orm";
import {
  blob,
  check,
  customType,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";

/** Lamports as decimal text: SQLite's driver reads integers as doubles, which are exact only to 2⁵³. */
const lamports = customType<{ data: bigint; driverData: string }>({
  dataType: () => "text",
  toDriver: (value) => value.toString(),
  fromDriver: (value) => BigInt(value),
});

/** Launch requests and how far each has come. Timestamps are milliseconds since the Unix epoch. */
export const launches = sqliteTable(
  "launches",
  {
    eventId: text("event_id").primaryKey(),
    wallet: text("wallet").notNull(),
    name: text("name").notNull(),
    ticker: text("ticker").notNull(),
    description: text("description"),
    imageUrl: text("image_url"),
    status: text("status", { enum: ["pending", "success", "failed", "rate_limited"] })
      .notNull()
      .default("pending"),
    createdAt: integer("created_at").notNull(),
    processedAt: integer("processed_at"),
    /** Why it ended without success, in words that its agent may read. */
    error: text("error"),

    /** The worker takes a pending launch from this time on. */
    runAt: integer("run_at").notNull(),
    /** How often the worker took it; counted by the lease, so that a crash counts. */
    attempts: integer("attempts").notNull().default(0),
    leaseId: text("lease_id"),
    leaseUntil: integer("lease_until"),
    /** The UTC day (YYYY-MM-DD) in which the worker took it. */
    day: text("day"),

    /** Of the latest transaction, stored before that was first sent. */
    signature: text("signature"),
    /** Its signed bytes, as long as its outcome is open. */
    transaction: blob("transaction", { mode: "buffer" }),
    lastValidBlockHeight: integer("last_valid_block_height"),
    /** What that transaction makes; on chain once the launch has succeeded. */
    tokenMint: text("token_mint"),
    poolAddress: text("pool_address"),

    idempotencyKey: text("idempotency_key"),
    /** SHA-256 of the request under that key. */
    requestHash: text("request_hash"),

    /** Whether it ended without a token so long ago that another launch got its ticker. */
    tickerReleased: integer("ticker_released", { mode: "boolean" }).notNull().default(false),
    /** The network address that put it in the queue, as long as it is there and that counts. */
    address: text("address"),
  },
  (table) => [
    check(
      "launches_status",
      sql`${table.status} in ('pending', 'success', 'failed', 'rate_limited')`,
    ),
    uniqueIndex("launches_ticker").on(table.ticker).where(sql`ticker_released = 0`),
    // Of each insert's cost, most is the pages that indexes change at random places: this one serves
    // what a wallet has pending as well as what it launched in a day.
    index("launches_of_wallet").on(table.wallet, table.status, table.createdAt),
    index("launches_due").on(table.runAt).where(sql`status = 'pending'`),
    index("launches_pending_of_address")
      .on(table.address)
      .where(sql`status = 'pending' and address is not null`),
    index("launches_of_mint").on(table.tokenMint).where(sql`token_mint is not null`),
    index("launches_of_day").on(table.wallet, table.day).where(sql`status = 'success'`),
    uniqueIndex("launches_idempotency")
      .on(table.wallet, table.idempotencyKey)
      .where(sql`idempotency_key is not null`),
  ],
);

/** How many launches were accepted from a network address in a UTC day. */
export const addressLaunches = sqliteTable(
  "address_launches",
  {
    day: text("day").notNull(),
    address: text("address").notNull(),
    launches: integer("launches").notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.address] })],
);

/** Tokens that are on chain, one for each launch that succeeded. */
export const tokens = sqliteTable(
  "tokens",
  {
    /** Grows with each token: the order of lists and the cursor of their pages. */
    id: integer("id").primaryKey({ autoIncrement: true }),
    tokenMint: text("token_mint").notNull().unique(),
    poolAddress: text("pool_address").notNull(),
    eventId: text("event_id")
      .notNull()
      .unique()
      .references(() => launches.eventId),
    wallet: text("wallet").notNull(),
    ticker: text("ticker").notNull(),
    name: text("name").notNull(),
    deployedAt: integer("deployed_at").notNull(),
    /** When fees were claimed last; null while unclaimed. */
    claimedAt: integer("claimed_at"),
    claimedTo: text("claimed_to"),
  },
  (table) => [index("tokens_of_wallet").on(table.wallet, table.id)],
);

/** Claim transactions that were handed out, and what became of them. */
export const claims = sqliteTable(
  "claims",
  {
    id: integer("id").primaryKey(),
    wallet: text("wallet").notNull(),
    tokenMint: text("token_mint")
      .notNull()
      .references(() => tokens.tokenMint),
    /** SHA-256 of the message that the agent is to sign. */
    messageHash: text("message_hash").notNull().unique(),
    /** `prepared` was handed out, `submitted` may be on its way, `confirmed` is settled. */
    status: text("status", { enum: ["prepared", "submitted", "confirmed"] })
      .notNull()
      .default("prepared"),
    lastValidBlockHeight: integer("last_valid_block_height").notNull(),
    preparedAt: integer("prepared_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    signature: text("signature"),
    transaction: blob("transaction", { mode: "buffer" }),
    paidLamports: lamports("paid_lamports"),
    confirmedAt: integer("confirmed_at"),
  },
  (table) => [
    check("claims_status", sql`${table.status} in ('prepared', 'submitted', 'confirmed')`),
    index("claims_prepared").on(table.expiresAt).where(sql`status = 'prepared'`),
    index("claims_prepared_of_token").on(table.tokenMint).where(sql`status = 'prepared'`),
    index("claims_submitted").on(table.id).where(sql`status = 'submitted'`),
  ],
);

/** Lamports that the launch wallet committed to launches, by UTC day. */
export const spending = sqliteTable("spending", {
  day: text("day").primaryKey(),
  lamports: lamports("lamports").notNull(),
});

/** Whose launches these are: one row, written at the first start and compared at each later one. */
export const chainBinding = sqliteTable(
  "chain_binding",
  {
    id: integer("id").primaryKey(),
    chain: text("chain", { enum: ["local", "solana"] }).notNull(),
    launchWallet: text("launch_wallet").notNull(),
    /** Of the cluster or the embedded chain; null until it was read for the first time. */
    genesisHash: text("genesis_hash"),
  },
  (table) => [
    check("chain_binding_one_row", sql`${table.id} = 1`),
    check("chain_binding_chain", sql`${table.chain} in ('local', 'solana')`),
  ],
);
