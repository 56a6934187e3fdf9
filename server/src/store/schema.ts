import type { AgentEventType } from "@tokenctl/shared/types";
import { CHAINS, LAUNCH_STATUSES } from "@tokenctl/shared/words";
import { sql } from "drizzle-orm";
import {
  blob,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import type { CollectedToken } from "../domain/journal.ts";
import { type HandedOutLaunch, type PaidReceiver, SIGNING_KINDS } from "../domain/signing.ts";
import type { SteeringSettings } from "../domain/steering.ts";
import type { PoolTerms } from "../domain/token.ts";
import { lamports } from "./database.ts";

// Times are milliseconds since the Unix epoch, and days are UTC (YYYY-MM-DD).

const bytes = (name: string) => blob(name, { mode: "buffer" });
const json = <Value>(name: string) => text(name, { mode: "json" }).$type<Value>();
const lease = { leaseId: text("lease_id"), leaseUntil: integer("lease_until") };

/** A column that holds one of these words, by default the first. */
const word = <Word extends string>(name: string, first: Word, ...others: Word[]) =>
  text(name, { enum: [first, ...others] })
    .notNull()
    .default(first as never);

const mint = () => text("token_mint").notNull();
const tokenId = () =>
  integer("token_id")
    .notNull()
    .references(() => tokens.id);

/** The terms that pools are made under. Each is stored once: most launches share them. */
export const poolTerms = sqliteTable("pool_terms", {
  id: integer("id").primaryKey(),
  terms: json<PoolTerms>("terms").notNull().unique(),
});

export const launches = sqliteTable(
  "launches",
  {
    /** The order in which requests were accepted, and in which a wallet's launches run. */
    seq: integer("seq").primaryKey(),
    /** Derived from the wallet and its idempotency key, if it has one. */
    eventId: text("event_id").notNull().unique(),
    wallet: text("wallet").notNull(),
    name: text("name").notNull(),
    /** Null if it is the beginning of `name`. */
    onChainName: text("on_chain_name"),
    ticker: text("ticker").notNull(),
    description: text("description"),
    imageUrl: text("image_url"),
    status: word("status", ...LAUNCH_STATUSES),
    createdAt: integer("created_at").notNull(),
    processedAt: integer("processed_at"),
    /** Why it ended without success. Its agent reads this text. */
    error: text("error"),
    /** From this time on, the worker leases a pending launch that the operator pays for. */
    runAt: integer("run_at").notNull(),
    /** How often it was leased. The lease itself counts the attempt, so that a crash counts too. */
    attempts: integer("attempts").notNull().default(0),
    ...lease,
    /** The day on which it was last signed, or leased if it was never signed. */
    day: text("day"),
    /** The latest transaction's; stored before it is sent. */
    signature: text("signature"),
    /** The signed bytes; null once the launch has ended. */
    transaction: bytes("transaction"),
    lastValidBlockHeight: integer("last_valid_block_height"),
    /** What the transaction creates; on chain once the launch has succeeded. */
    tokenMint: text("token_mint"),
    poolAddress: text("pool_address"),
    /** Only for a request with an idempotency key. */
    requestHash: text("request_hash"),
    /** 1 if it ended without a token and another launch took its ticker; otherwise 0. */
    tickerReleased: integer("ticker_released").notNull().default(0),
    /** Where it came from, while it is pending; null if no limit counts it. */
    address: text("address"),
    network: text("network"),
    /** Lamports reserved for it in the sum of a day; once it has a token, what it cost. */
    reservedLamports: lamports("reserved_lamports"),
    reservedDay: text("reserved_day"),
    /** The tip in its transaction, from the launch wallet's SOL; paid if it lands. */
    tipLamports: lamports("tip_lamports"),
    website: text("website"),
    twitter: text("twitter"),
    telegram: text("telegram"),
    termsId: integer("terms_id").references(() => poolTerms.id),
    imageHash: text("image_hash"),
    /** What it waits for while it is pending, and since when; null before its first lease. */
    waitingFor: text("waiting_for"),
    waitingSince: integer("waiting_since"),
    /** Null if the operator pays. */
    payer: text("payer", { enum: ["agent"] }),
    /** The agent's first buy: lamports, and the least it gets in the token's smallest unit. */
    firstBuyLamports: lamports("first_buy_lamports"),
    firstBuyUnits: lamports("first_buy_units"),
    agentLamports: lamports("agent_lamports"),
    /** Until when the agent that pays may sign it; null if the operator pays, or it has ended. */
    signBy: integer("sign_by"),
    /** When it was accepted or retried. */
    queuedAt: integer("queued_at").notNull().default(0),
  },
  (table) => [
    uniqueIndex("launches_ticker").on(table.ticker).where(sql`ticker_released = 0`),
    // Enforces that an agent's launches run one at a time, whatever the servers believe.
    uniqueIndex("launches_leased")
      .on(table.wallet)
      .where(sql`status = 'pending' and lease_id is not null`),
    // An agent has one token a day: a launch that may still land counts like one that landed.
    uniqueIndex("launches_day")
      .on(table.wallet, table.day)
      .where(sql`status = 'success' or (status = 'pending' and signature is not null)`),
    // Most of an insert's cost is the index pages that it changes at random places, so one index
    // serves two questions: what a wallet has pending, and what it launched in a day.
    index("launches_of_wallet").on(table.wallet, table.status, table.createdAt),
    index("launches_due")
      .on(table.runAt, table.seq)
      .where(sql`status = 'pending' and payer is null`),
    index("launches_undecided")
      .on(table.runAt, table.seq)
      .where(sql`status = 'pending' and payer is null and signature is not null`),
    index("launches_paid").on(table.signBy).where(sql`status = 'pending' and sign_by is not null`),
    index("launches_pending_of_network")
      .on(table.network, table.address, table.payer)
      .where(sql`status = 'pending' and network is not null`),
    index("launches_reserved")
      .on(table.reservedDay)
      .where(sql`status = 'pending' and reserved_day is not null`),
    // A launch that has a token is found through the token.
    index("launches_of_mint")
      .on(table.tokenMint)
      .where(sql`token_mint is not null and status <> 'success'`),
    index("launches_of_image").on(table.imageHash).where(sql`image_hash is not null`),
  ],
);

/** Launches accepted from a client in a UTC day, retries included, and those that landed. */
export const dailyLaunches = sqliteTable(
  "daily_launches",
  {
    day: text("day").notNull(),
    /** A network address, a network, or an agent's wallet. */
    client: text("client").notNull(),
    launches: integer("launches").notNull(),
    launched: integer("launched").notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.day, table.client] })],
);

/** One for each launch that succeeded. SQLite stores them by key, so that lists read neighbours. */
export const tokens = sqliteTable(
  "tokens",
  {
    /** Grows with each token. Lists are in this order, and their pages use it as cursor. */
    id: integer("id").notNull().unique(),
    tokenMint: mint().unique(),
    poolAddress: text("pool_address").notNull(),
    launchSeq: integer("launch_seq")
      .notNull()
      .references(() => launches.seq),
    wallet: text("wallet").notNull(),
    ticker: text("ticker").notNull(),
    name: text("name").notNull(),
    imageUrl: text("image_url"),
    deployedAt: integer("deployed_at").notNull(),
    /** When fees were claimed last, by any wallet. */
    claimedAt: integer("claimed_at"),
    /** The first wallet that the claim paid; null if that is `wallet`. */
    claimedTo: text("claimed_to"),
    migratedAt: integer("migrated_at"),
    /** When the agent was told that the fees reached its threshold; null if they are below it. */
    feesToldAt: integer("fees_told_at"),
    /** The wallet that has its fees now; null if that is `wallet`, which launched it. */
    holder: text("holder"),
    heldSince: integer("held_since"),
    /** When the holder accepted it and it joined the holder's tokens. */
    acceptedAt: integer("accepted_at"),
    /** Since when the operator hides it; null if anyone may see it. */
    hiddenAt: integer("hidden_at"),
    /** What its name looks like; see `domain/likeness.ts`. */
    likeness: text("likeness").notNull().default(""),
  },
  (table) => [
    primaryKey({ columns: [table.wallet, table.id] }),
    index("tokens_likeness").on(table.likeness, table.id),
    index("tokens_of_holder").on(table.holder, table.id).where(sql`holder is not null`),
    index("tokens_migrated").on(table.id).where(sql`migrated_at is not null`),
  ],
);

/** The last reading of each token's market, in the units of `Market` in `domain/token.ts`. */
export const markets = sqliteTable(
  "markets",
  {
    tokenId: tokenId(),
    price: lamports("price").notNull(),
    marketCap: lamports("market_cap").notNull(),
    raised: lamports("raised"),
    goal: lamports("goal").notNull(),
    earned: lamports("earned").notNull(),
    fees: lamports("fees").notNull(),
    /** Lamports of all trades, derived from the fees paid between two readings. */
    traded: lamports("traded").notNull(),
    changedAt: integer("changed_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.tokenId] })],
);

/** The last price of each span of time in which it changed. */
export const prices = sqliteTable(
  "prices",
  {
    tokenId: tokenId(),
    /** A minute or an hour, in milliseconds. */
    span: integer("span").notNull(),
    at: integer("at").notNull(),
    price: lamports("price").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tokenId, table.span, table.at] }),
    index("prices_age").on(table.span, table.at),
  ],
);

export const feeThresholds = sqliteTable("fee_thresholds", {
  wallet: text("wallet").primaryKey(),
  lamports: lamports("lamports").notNull(),
});

export const leases = sqliteTable("leases", {
  name: text("name").primaryKey(),
  leaseId: text("lease_id").notNull(),
  leaseUntil: integer("lease_until").notNull(),
});

export const prepared = sqliteTable(
  "prepared",
  {
    id: integer("id").primaryKey(),
    kind: word("kind", ...SIGNING_KINDS),
    wallet: text("wallet").notNull(),
    /** The token of a claim or hand-over; the first one of a claim of several. */
    tokenId: integer("token_id").references(() => tokens.id),
    launchSeq: integer("launch_seq").references(() => launches.seq),
    /** The hash of the message that the agent signs. */
    messageHash: text("message_hash").notNull().unique(),
    /** `prepared`: handed out unsigned. `submitted`: stored, perhaps sent. `confirmed`: landed. */
    status: word("status", "prepared", "submitted", "confirmed"),
    lastValidBlockHeight: integer("last_valid_block_height").notNull(),
    expiresAt: integer("expires_at").notNull(),
    signature: text("signature"),
    transaction: bytes("transaction"),
    paidLamports: lamports("paid_lamports"),
    confirmedAt: integer("confirmed_at"),
    /** The server that sends it while it is submitted. */
    ...lease,
    otherMints: json<readonly string[]>("other_mints").notNull().default(sql`'[]'`),
    /** The wallets that a claim pays; empty if the agent's wallet gets everything. */
    receivers: json<readonly PaidReceiver[]>("receivers").notNull().default(sql`'[]'`),
    /** The day on which a claim was first submitted with a sponsor's signature. */
    sponsoredDay: text("sponsored_day"),
    /** Grows with each paid claim of a wallet: the order of its history. */
    paidSeq: integer("paid_seq"),
    /** The wallet that a hand-over gives its token to. */
    handedTo: text("handed_to"),
    /** What a launch creates. */
    launch: json<HandedOutLaunch>("launch"),
  },
  (table) => [
    index("prepared_expiring").on(table.expiresAt).where(sql`status = 'prepared'`),
    index("prepared_of_token").on(table.tokenId).where(sql`status = 'prepared'`),
    index("prepared_of_launch").on(table.launchSeq).where(sql`launch_seq is not null`),
    index("prepared_submitted").on(table.id).where(sql`status = 'submitted'`),
    index("prepared_at_risk")
      .on(table.wallet, table.sponsoredDay)
      .where(sql`sponsored_day is not null and status <> 'confirmed'`),
    index("prepared_paid_of_wallet")
      .on(table.wallet, table.paidSeq)
      .where(sql`status = 'confirmed'`),
  ],
);

export const payouts = sqliteTable(
  "payouts",
  {
    claimId: integer("claim_id")
      .notNull()
      .references(() => prepared.id),
    /** The token's position in the claim, from 0. */
    position: integer("position").notNull(),
    tokenId: tokenId(),
    bondingCurve: lamports("curve_lamports").notNull(),
    liquidityPool: lamports("pool_lamports").notNull(),
  },
  (table) => [primaryKey({ columns: [table.claimId, table.position] })],
);

export const images = sqliteTable(
  "images",
  {
    /** SHA-256 of the bytes in lowercase hex. */
    hash: text("hash").primaryKey(),
    /** The agent that uploaded it last; it counts for this agent until it expires. */
    wallet: text("wallet").notNull(),
    mediaType: text("media_type").notNull(),
    /** Bytes of the image and its smaller sizes together. */
    size: integer("size").notNull(),
    /** When it is deleted unless a launch uses it; null if a token has it. */
    expiresAt: integer("expires_at"),
    /** Since when the operator hides it, together with a token that has it. */
    hiddenAt: integer("hidden_at"),
    /** Where `wallet` uploaded it from; null if no share counts it. */
    address: text("address"),
    network: text("network"),
    // Last, and the largest at the end: SQLite reads a row only as far as the columns asked for.
    /** WebP of 96 and 256 pixels; null if the image itself is no larger. */
    small: bytes("small"),
    medium: bytes("medium"),
    bytes: bytes("bytes").notNull(),
  },
  (table) => [
    // Covers everything that an upload counts of images that have not expired.
    index("images_in_use")
      .on(table.expiresAt, table.size, table.wallet, table.address, table.network, table.hash)
      .where(sql`expires_at is not null`),
  ],
);

export const events = sqliteTable(
  "events",
  {
    /** The order in which events are deleted. */
    seq: integer("seq").primaryKey(),
    wallet: text("wallet").notNull(),
    /** 1, 2, 3 … for each wallet. */
    id: integer("id").notNull(),
    type: text("type").$type<AgentEventType>().notNull(),
    createdAt: integer("created_at").notNull(),
    launchSeq: integer("launch_seq").notNull(),
    /** The paid claim that has the event's transaction and further tokens. */
    claimId: integer("claim_id"),
    /** The same for a claim that has not paid, and may be deleted. */
    transactionHash: text("transaction_hash"),
    otherMints: json<readonly string[]>("other_mints"),
  },
  (table) => [uniqueIndex("events_of_wallet").on(table.wallet, table.id)],
);

/** The newest event of each wallet that has had one, even after that event is deleted. */
export const eventCounters = sqliteTable("event_counters", {
  wallet: text("wallet").primaryKey(),
  lastId: integer("last_id").notNull(),
  lastAt: integer("last_at").notNull(),
});

export const webhooks = sqliteTable(
  "webhooks",
  {
    id: text("id").primaryKey(),
    wallet: text("wallet").notNull(),
    url: text("url").notNull(),
    createdAt: integer("created_at").notNull(),
    key: bytes("key").notNull(),
    /** The id of the last event that became a delivery. */
    cursor: integer("cursor").notNull(),
    /** The number of the event delivery that later events wait for. */
    head: integer("head"),
    retryAt: integer("retry_at"),
    /** How many test deliveries wait. */
    waiting: integer("waiting").notNull().default(0),
    failures: integer("failures").notNull().default(0),
    /** If `lease_id` is null, `lease_until` is when the last lease ended. */
    ...lease,
    host: text("host").notNull(),
    /** How the last attempt ended: accepted in time, or late or never; `new` before the first. */
    pace: word("pace", "new", "prompt", "slow"),
  },
  (table) => [
    uniqueIndex("webhooks_url").on(table.wallet, table.url),
    index("webhooks_open").on(table.retryAt).where(sql`head is not null or waiting > 0`),
  ],
);

/** An `event` is tried in order until it is accepted or given up, a `test` once. */
export const webhookDeliveries = sqliteTable(
  "webhook_deliveries",
  {
    webhookId: text("webhook_id").notNull(),
    /** 1, 2, 3 … for each webhook. */
    number: integer("number").notNull(),
    kind: text("kind", { enum: ["event", "test"] }).notNull(),
    event: integer("event"),
    status: word("status", "pending", "delivered", "failed"),
    attempts: integer("attempts").notNull().default(0),
    createdAt: integer("created_at").notNull(),
    attemptedAt: integer("attempted_at"),
    httpStatus: integer("http_status"),
    problem: text("problem"),
  },
  (table) => [primaryKey({ columns: [table.webhookId, table.number] })],
);

export const spending = sqliteTable("spending", {
  day: text("day").primaryKey(),
  lamports: lamports("lamports").notNull(),
});

/** The chain, wallet and secrets of the launches: one row, written once and then compared. */
export const chainBinding = sqliteTable("chain_binding", {
  id: integer("id").primaryKey().default(1),
  chain: text("chain", { enum: CHAINS }).notNull(),
  /** Null until a server with one is started; until then, agents pay for the launches. */
  launchWallet: text("launch_wallet"),
  /** Null until the server first reads it. */
  genesisHash: text("genesis_hash"),
  mintSecretFingerprint: text("mint_secret_fingerprint").notNull(),
  /** Null while only one server uses the database. */
  dbcConfig: text("dbc_config"),
});

export const collections = sqliteTable(
  "collections",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    wallet: text("wallet").notNull(),
    /** `submitted`: stored, perhaps sent. All other states are final. */
    status: word("status", "submitted", "confirmed", "failed", "expired"),
    signature: text("signature").notNull().unique(),
    /** The signed bytes; null once it is final. */
    transaction: bytes("transaction"),
    lastValidBlockHeight: integer("last_valid_block_height").notNull(),
    /** What it takes from each token; once it is confirmed, what it took. */
    tokens: json<readonly CollectedToken[]>("tokens").notNull(),
    submittedAt: integer("submitted_at").notNull(),
    settledAt: integer("settled_at"),
    /** What left the pools' vaults; null unless it is confirmed. */
    paidLamports: lamports("paid_lamports"),
    feeLamports: lamports("fee_lamports"),
    /** The part of the fee that is a tip; paid if it is confirmed. */
    tipLamports: lamports("tip_lamports"),
  },
  (table) => [index("collections_submitted").on(table.id).where(sql`status = 'submitted'`)],
);

export const poolMigrations = sqliteTable(
  "pool_migrations",
  {
    tokenMint: text("token_mint")
      .primaryKey()
      .references(() => tokens.tokenMint),
    /** `submitted`: the transaction is stored, perhaps sent. `done`: the pool has migrated. */
    status: word("status", "pending", "submitted", "done"),
    runAt: integer("run_at").notNull(),
    attempts: integer("attempts").notNull().default(0),
    ...lease,
    signature: text("signature"),
    /** The signed bytes; null unless it is submitted. */
    transaction: bytes("transaction"),
    lastValidBlockHeight: integer("last_valid_block_height"),
    reservedLamports: lamports("reserved_lamports"),
    reservedDay: text("reserved_day"),
    tipLamports: lamports("tip_lamports"),
  },
  (table) => [index("pool_migrations_open").on(table.tokenMint).where(sql`status <> 'done'`)],
);

/** What the operator has decided about a wallet; null if the wallet is not on the list. */
export const agentRules = sqliteTable("agent_rules", {
  wallet: text("wallet").primaryKey(),
  allowedAt: integer("allowed_at"),
  blockedAt: integer("blocked_at"),
  invitedAt: integer("invited_at"),
});

export const invites = sqliteTable("invites", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  codeHash: text("code_hash").notNull().unique(),
  note: text("note"),
  maxUses: integer("max_uses").notNull(),
  uses: integer("uses").notNull().default(0),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at"),
  revokedAt: integer("revoked_at"),
});

/** Launches that were started in the last hour, recorded while their number per hour is limited. */
export const launchStarts = sqliteTable(
  "launch_starts",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    /** Null after the launch was put back in the queue: its next start counts as a new one. */
    eventId: text("event_id").unique(),
    wallet: text("wallet").notNull(),
    startedAt: integer("started_at").notNull(),
    address: text("address"),
    network: text("network"),
  },
  (table) => [index("launch_starts_time").on(table.startedAt, table.wallet)],
);

/** What the operator has set while the service runs: one row, or none before the first change. */
export const steering = sqliteTable("steering", {
  id: integer("id").primaryKey().default(1),
  version: integer("version").notNull(),
  settings: json<SteeringSettings>("settings").notNull(),
});

/** Every change that the operator made. */
export const audit = sqliteTable("audit", {
  id: integer("id").primaryKey({ autoIncrement: true }),
  at: integer("at").notNull(),
  actor: text("actor").notNull(),
  action: text("action").notNull(),
  subject: text("subject"),
  detail: text("detail"),
  reason: text("reason"),
});

export const servers = sqliteTable("servers", {
  id: text("id").primaryKey(),
  host: text("host").notNull(),
  pid: integer("pid").notNull(),
  url: text("url").notNull(),
  version: text("version").notNull(),
  startedAt: integer("started_at").notNull(),
  seenAt: integer("seen_at").notNull(),
  /** The version of `steering` that it works by. */
  steeringVersion: integer("steering_version").notNull(),
  settings: json<Readonly<Record<string, string>>>("settings"),
});
