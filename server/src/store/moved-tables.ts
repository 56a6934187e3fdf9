/** How a column's values are moved. `lamports` are whole numbers of any size. */
export type MovedKind = "text" | "integer" | "lamports" | "bytes";

/** A table that moves from one engine to another. */
export interface MovedTable {
  readonly name: string;
  /** By name, in the order of the values of a row. */
  readonly columns: Readonly<Record<string, MovedKind>>;
  /** A row's place among all; unique. */
  readonly order: readonly string[];
  /** The column that counts up, if the table has one. */
  readonly counter: string | null;
  /** How many rows fit in memory at once; without it, a thousand. */
  readonly rowsAtOnce?: number;
}

/** @returns how many rows of a table are read or written at a time */
export function rowsAtOnce({ rowsAtOnce = 1_000 }: MovedTable): number {
  return rowsAtOnce;
}

/** A row's values in the order of its table's columns; integers and lamports are `bigint`. */
export type MovedRow = readonly (string | bigint | Uint8Array | null)[];

/**
 * All tables, parents first. Leases are left out: they end with the service that is moved. Used
 * nonces too: SQLite's are in memory; and the servers, which report themselves. The chain binding is written by whoever moves the tables.
 */
export const MOVED_TABLES: readonly MovedTable[] = [
  {
    name: "launches",
    columns: {
      event_id: "text",
      seq: "integer",
      wallet: "text",
      name: "text",
      ticker: "text",
      description: "text",
      image_url: "text",
      status: "text",
      created_at: "integer",
      processed_at: "integer",
      error: "text",
      run_at: "integer",
      attempts: "integer",
      day: "text",
      signature: "text",
      transaction: "bytes",
      last_valid_block_height: "integer",
      token_mint: "text",
      pool_address: "text",
      idempotency_key: "text",
      request_hash: "text",
      ticker_released: "integer",
      address: "text",
      network: "text",
      queued_at: "integer",
      reserved_lamports: "lamports",
      reserved_day: "text",
      website: "text",
      twitter: "text",
      telegram: "text",
      pool_terms: "text",
      image_hash: "text",
      waiting_for: "text",
      waiting_since: "integer",
      on_chain_name: "text",
    },
    order: ["seq"],
    counter: "seq",
  },
  {
    name: "address_launches",
    columns: { day: "text", address: "text", launches: "integer", launched: "integer" },
    order: ["day", "address"],
    counter: null,
  },
  {
    name: "tokens",
    columns: {
      id: "integer",
      token_mint: "text",
      pool_address: "text",
      event_id: "text",
      wallet: "text",
      ticker: "text",
      name: "text",
      deployed_at: "integer",
      claimed_at: "integer",
      claimed_to: "text",
      migrated_at: "integer",
      fees_told_at: "integer",
    },
    order: ["id"],
    counter: "id",
  },
  {
    name: "claims",
    columns: {
      id: "integer",
      wallet: "text",
      token_mint: "text",
      message_hash: "text",
      status: "text",
      last_valid_block_height: "integer",
      prepared_at: "integer",
      expires_at: "integer",
      signature: "text",
      transaction: "bytes",
      paid_lamports: "lamports",
      confirmed_at: "integer",
      other_mints: "text",
      sponsored_day: "text",
      paid_seq: "integer",
    },
    order: ["id"],
    counter: "id",
  },
  {
    name: "payouts",
    columns: {
      claim_id: "integer",
      position: "integer",
      token_mint: "text",
      curve_lamports: "lamports",
      pool_lamports: "lamports",
    },
    order: ["claim_id", "position"],
    counter: null,
  },
  {
    name: "collections",
    columns: {
      id: "integer",
      wallet: "text",
      status: "text",
      signature: "text",
      transaction: "bytes",
      last_valid_block_height: "integer",
      tokens: "text",
      submitted_at: "integer",
      settled_at: "integer",
      paid_lamports: "lamports",
      fee_lamports: "lamports",
    },
    order: ["id"],
    counter: "id",
  },
  {
    name: "pool_migrations",
    columns: {
      token_mint: "text",
      status: "text",
      run_at: "integer",
      attempts: "integer",
      signature: "text",
      transaction: "bytes",
      last_valid_block_height: "integer",
      reserved_lamports: "lamports",
      reserved_day: "text",
      done_at: "integer",
      error: "text",
    },
    order: ["token_mint"],
    counter: null,
  },
  {
    name: "images",
    columns: {
      hash: "text",
      wallet: "text",
      address: "text",
      network: "text",
      media_type: "text",
      size: "integer",
      created_at: "integer",
      expires_at: "integer",
      bytes: "bytes",
    },
    order: ["hash"],
    counter: null,
    // Of up to 2 MiB each.
    rowsAtOnce: 8,
  },
  {
    name: "fee_thresholds",
    columns: { wallet: "text", token_mint: "text", lamports: "lamports" },
    order: ["wallet", "token_mint"],
    counter: null,
  },
  {
    name: "events",
    columns: {
      wallet: "text",
      id: "integer",
      type: "text",
      created_at: "integer",
      event_id: "text",
      ticker: "text",
      token_mint: "text",
      transaction_hash: "text",
      other_mints: "text",
    },
    order: ["wallet", "id"],
    counter: null,
  },
  {
    name: "event_counters",
    columns: { wallet: "text", last_id: "integer", last_at: "integer" },
    order: ["wallet"],
    counter: null,
  },
  {
    name: "webhooks",
    columns: {
      id: "text",
      wallet: "text",
      url: "text",
      created_at: "integer",
      key: "bytes",
      old_key: "bytes",
      old_key_until: "integer",
      cursor: "integer",
      head: "integer",
      retry_at: "integer",
      waiting: "integer",
      last_number: "integer",
      failures: "integer",
      host: "text",
      pace: "text",
      disabled_at: "integer",
    },
    order: ["id"],
    counter: null,
  },
  {
    name: "webhook_deliveries",
    columns: {
      webhook_id: "text",
      number: "integer",
      wallet: "text",
      kind: "text",
      event: "integer",
      status: "text",
      attempts: "integer",
      created_at: "integer",
      attempted_at: "integer",
      http_status: "integer",
      problem: "text",
    },
    order: ["webhook_id", "number"],
    counter: null,
  },
  {
    name: "spending",
    columns: { day: "text", lamports: "lamports" },
    order: ["day"],
    counter: null,
  },
  {
    name: "agent_rules",
    columns: {
      wallet: "text",
      allowed_at: "integer",
      blocked_at: "integer",
      invited_at: "integer",
      invite_id: "integer",
    },
    order: ["wallet"],
    counter: null,
  },
  {
    name: "invites",
    columns: {
      id: "integer",
      code_hash: "text",
      note: "text",
      max_uses: "integer",
      uses: "integer",
      created_at: "integer",
      expires_at: "integer",
      revoked_at: "integer",
    },
    order: ["id"],
    counter: "id",
  },
  {
    name: "launch_starts",
    columns: {
      id: "integer",
      event_id: "text",
      wallet: "text",
      started_at: "integer",
      address: "text",
      network: "text",
    },
    order: ["id"],
    counter: "id",
  },
  {
    name: "launch_attempts",
    columns: { id: "integer", event_id: "text", signature: "text", signed_at: "integer" },
    order: ["id"],
    counter: "id",
  },
  {
    name: "service_time",
    columns: { id: "integer", ms: "integer", ticked_at: "integer" },
    order: ["id"],
    counter: null,
  },
  {
    name: "steering",
    columns: { id: "integer", version: "integer", settings: "text" },
    order: ["id"],
    counter: null,
  },
  {
    name: "audit",
    columns: {
      id: "integer",
      at: "integer",
      actor: "text",
      action: "text",
      subject: "text",
      detail: "text",
      reason: "text",
    },
    order: ["id"],
    counter: "id",
  },
];

/** What a table holds, in a form that every engine computes from its own rows. */
export interface TableSummary {
  readonly rows: number;
  /** SHA-256 of all values in the order of the rows, in hex. */
  readonly checksum: string;
  /** The last number that the counter has given out; null without a counter, or if it gave out none. */
  readonly counter: bigint | null;
}
