import { type Connection, VOTE_PROGRAM_ID } from "@solana/web3.js";
import { HIGHEST_VERSION } from "@tokenctl/shared/wire-transaction";
import type { Clock } from "../base/clock.ts";
import type { Confirmer } from "./confirmer.ts";
import { COMMITMENT, rawRequest } from "./connection.ts";
import { RpcError } from "./rpc-answer.ts";
import { simulateSigned } from "./simulate.ts";

/** How long one of our transactions waits before the chain counts as stalled, in milliseconds. */
const STALL_AFTER_MS = 30_000;

/** Blocks are first read when a transaction has waited this long, then at this interval. */
const FIRST_LOOK_MS = 15_000;
const LOOK_EVERY_MS = 5_000;

/** How long no transaction waits before a stall is forgotten: a launch retries within 15 s. */
const IDLE_MS = 30_000;

/** How many of the waiting transactions are simulated, the newest first. */
const SIMULATED = 3;

/**
 * Detects a chain that lands nothing: one of our transactions has waited for 30 s, and no block
 * read since then contains a user's transaction. One slow transaction alone is not a stall, and
 * neither is one that cannot run, which an agent may have signed.
 */
export class LandingWatch {
  #idleSince = 0;
  /** The value of `ours.inBlockAt` at the last check. */
  #inBlockAt: number | null = null;
  /** Since when we have waited without any sign that the chain lands transactions. */
  #since: number | null = null;
  /** The newest slot at the last look; earlier blocks no longer count. */
  #looked: { readonly slot: number; readonly at: number } | null = null;
  #stalledSince: number | null = null;

  constructor(
    private readonly connection: Connection,
    private readonly clock: Clock,
    private readonly ours: Pick<Confirmer, "waiting" | "inBlockAt">,
  ) {}

  /**
   * Reads blocks if a transaction waits. Call it every few seconds. Returns since when nothing has
   * landed, in milliseconds since the Unix epoch; null if the chain lands transactions.
   */
  async check(slot: number): Promise<number | null> {
    const now = this.clock.elapsed();
    const { waiting, inBlockAt } = this.ours;
    const [first] = waiting;
    const isIdle = !first && now - this.#idleSince > IDLE_MS;
    if (isIdle || inBlockAt !== this.#inBlockAt) this.#forget();
    this.#inBlockAt = inBlockAt;
    if (first) {
      this.#idleSince = now;
      const hasLanded = inBlockAt !== null && inBlockAt > first.since;
      this.#since ??= hasLanded ? inBlockAt : first.since;
    }
    const since = this.#since;
    if (since === null) return null;
    this.#looked ??= { slot, at: now };
    const looked = this.#looked;
    const waited = now - since;
    if (waited < FIRST_LOOK_MS || now - looked.at < LOOK_EVERY_MS) return this.#stalledSince;
    this.#looked = { slot: Math.max(slot, looked.slot), at: now };
    const blocks =
      slot > looked.slot ? await readRecentBlocks(this.connection, looked.slot, slot) : "none";
    const isStalled =
      waited >= STALL_AFTER_MS &&
      (blocks === "none" || (blocks === "empty" && (await this.#holdsRunnable())));
    // One of our transactions may have landed during the reads.
    if (this.ours.inBlockAt !== this.#inBlockAt) return this.#stalledSince;
    if (blocks === "transactions") {
      this.#forget();
      if (first) this.#since = this.clock.elapsed();
    } else if (isStalled) {
      this.#stalledSince ??= this.clock.now() - (this.clock.elapsed() - since);
    }
    return this.#stalledSince;
  }

  /** Whether one of the waiting transactions would succeed now. */
  async #holdsRunnable(): Promise<boolean> {
    for (const { transaction } of this.ours.waiting.slice(-SIMULATED).reverse()) {
      try {
        const { error } = await simulateSigned(this.connection, transaction, { sigVerify: true });
        if (error === null) return true;
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
      }
    }
    return false;
  }

  #forget(): void {
    this.#since = null;
    this.#looked = null;
    this.#stalledSince = null;
  }
}

/** Blocks with a user's transaction, blocks with at most votes (`empty`), or no block (`none`). */
type RecentBlocks = "transactions" | "empty" | "none";

/** The most blocks read at a time: a block of a busy cluster takes a megabyte. */
const BLOCKS = 3;

/** Enough slots to contain blocks, although the cluster skips some. */
const SLOTS = 32;

/** Looks for a user's transaction in these slots. Returns null if the node does not show blocks. */
async function readRecentBlocks(
  connection: Connection,
  after: number,
  upTo: number,
): Promise<RecentBlocks | null> {
  try {
    const from = Math.max(after + 1, upTo - SLOTS + 1);
    const range = [from, upTo, { commitment: COMMITMENT }];
    const slots = await rawRequest(connection, "getBlocks", range);
    if (!Array.isArray(slots)) return null;
    if (slots.length === 0) return "none";
    for (const slot of slots.slice(-BLOCKS).reverse()) {
      if (await holdsTransactions(connection, slot)) return "transactions";
    }
    return "empty";
  } catch (error) {
    if (error instanceof RpcError) return null;
    throw error;
  }
}

async function holdsTransactions(connection: Connection, slot: unknown): Promise<boolean> {
  const block = await rawRequest(connection, "getBlock", [
    slot,
    {
      commitment: COMMITMENT,
      transactionDetails: "accounts",
      rewards: false,
      maxSupportedTransactionVersion: HIGHEST_VERSION,
    },
  ]);
  const { transactions } = (block ?? {}) as { transactions?: unknown };
  // An answer of unknown shape does not prove that nothing lands.
  return !Array.isArray(transactions) || !transactions.every(isVote);
}

function isVote(entry: unknown): boolean {
  const { transaction } = (entry ?? {}) as { transaction?: { accountKeys?: unknown } };
  const keys = transaction?.accountKeys;
  return Array.isArray(keys) && keys.some((key) => key?.pubkey === VOTE_PROGRAM_ID.toBase58());
}
