import { type Connection, type PublicKey, SYSVAR_RENT_PUBKEY } from "@solana/web3.js";
import type { Clock } from "../base/clock.ts";
import { SharedRead } from "../base/shared-read.ts";
import { BLOCKHASH_VALID_BLOCKS, type ClusterPace } from "../domain/cluster-pace.ts";
import { readAccounts } from "./connection.ts";
import { readRpcError } from "./rpc-answer.ts";

// What is measured of a cluster, and never a constant: the time of a block, what its transactions bid, the rent.

/**
 * Milliseconds per block until two heights were seen. Source: SIMD-0525, the shortest that is planned:
 * what is derived from it ends early rather than late.
 */
const UNMEASURED_MS = 200;

/** Milliseconds between two readings: long enough for one block more or less to matter little. */
const WINDOW_MS = 10_000;

/** An answer that took longer may show an old height: the process may have been paused. */
const TIMELY_MS = 3_000;

/**
 * How long the height is extrapolated, in milliseconds. After that, it is unknown whether blocks
 * were made.
 */
const KNOWN_FOR_MS = 30_000;

/** Outside of this no cluster makes blocks: it halted, or a clock was set. In milliseconds per block. */
const SHORTEST_MS = 20;
const LONGEST_MS = 2_000;

/** Windows that count: two minutes. */
const WINDOWS = 12;

interface Reading {
  readonly height: number;
  readonly at: number;
}

/**
 * Measures how long the chain takes for a block. It reads the height every ten seconds; of the last two
 * minutes the fast quarter decides, so that a chain that becomes faster is noticed within half a minute,
 * and neither a halt, a paused process, a clock that was set nor a node that is behind falsifies it.
 */
export class BlockPace {
  #last: Reading | null = null;
  /** Milliseconds per block, oldest first. */
  #windows: number[] = [];

  constructor(private readonly clock: Clock) {}

  get isMeasured(): boolean {
    return this.#windows.length > 0;
  }

  get msPerBlock(): number {
    const sorted = this.#windows.toSorted((a, b) => a - b);
    return sorted[Math.floor((sorted.length - 1) / 4)] ?? UNMEASURED_MS;
  }

  /** Reads the confirmed height if the last reading is a window old; call it every few seconds. */
  async measure(readHeight: () => Promise<number>): Promise<void> {
    const askedAt = this.clock.elapsed();
    if (this.#last !== null && askedAt - this.#last.at < WINDOW_MS) return;
    const height = await readHeight();
    const at = this.clock.elapsed();
    if (at - askedAt <= TIMELY_MS) this.#see({ height, at });
  }

  #see(reading: Reading): void {
    const since = this.#last;
    this.#last = reading;
    if (since === null || reading.height <= since.height) return;
    const msPerBlock = (reading.at - since.at) / (reading.height - since.height);
    if (msPerBlock < SHORTEST_MS || msPerBlock > LONGEST_MS) return;
    this.#windows = [...this.#windows.slice(1 - WINDOWS), msPerBlock];
  }

  /** Milliseconds in which a transaction of a new blockhash can land; 0 if it has expired. */
  msUntil(lastValidBlockHeight: number): number {
    const { msPerBlock } = this;
    const age =
      this.#last === null ? Number.POSITIVE_INFINITY : this.clock.elapsed() - this.#last.at;
    const height = age > KNOWN_FOR_MS ? 0 : (this.#last?.height ?? 0) + age / msPerBlock;
    const blocks = Math.min(BLOCKHASH_VALID_BLOCKS, lastValidBlockHeight - height);
    return Math.max(0, blocks) * msPerBlock;
  }
}

/** How long one read is reused, in milliseconds: only the order of magnitude of a bid matters. */
const BIDS_FOR_MS = 10_000;

/**
 * What others recently paid per compute unit to write to the same accounts. If the node does not say, what it
 * said last; the probe reports that.
 */
export class PriorityFees {
  readonly #recent: SharedRead<readonly bigint[]>;
  #last: readonly bigint[] = [];

  /** @param accounts the accounts that every transaction in question writes to; at most 128 */
  constructor(connection: Connection, accounts: readonly PublicKey[], clock: Clock) {
    const read = async (): Promise<readonly bigint[]> => {
      try {
        const fees = await connection.getRecentPrioritizationFees({
          lockedWritableAccounts: [...accounts],
        });
        const sorted = fees.map((fee) => fee.prioritizationFee).sort((a, b) => a - b);
        this.#last = sorted.map(BigInt);
      } catch (error) {
        if (readRpcError(error) === null) throw error;
      }
      return this.#last;
    };
    this.#recent = new SharedRead(read, BIDS_FOR_MS, clock);
  }

  /** @param percentile 0 to 100: the share of recent slots that the bid would have satisfied */
  async bid(percentile: number): Promise<bigint> {
    const recent = await this.#recent.get();
    const index = Math.min(recent.length - 1, Math.floor((recent.length * percentile) / 100));
    return recent[index] ?? 0n;
  }
}

/** Lamports per byte before SIMD-0437 lowers them in steps; SIMD-0438 may raise them again. */
const USUAL_RENT_PER_BYTE = 6_960n;

export function highestRentPerByte(now: bigint): bigint {
  return now < USUAL_RENT_PER_BYTE ? USUAL_RENT_PER_BYTE : now;
}

/** Bytes of metadata that every account pays rent for. Source: `ACCOUNT_STORAGE_OVERHEAD` of agave. */
const OVERHEAD_BYTES = 128n;

/** @returns what a cost that is mostly rent may become before it lands, at the most */
export function atHighestRent(lamports: bigint, now: bigint): bigint {
  return now === 0n ? lamports : (lamports * highestRentPerByte(now)) / now;
}

/** Source: `Rent` of solana-sdk: lamports per byte and year (u64), years (f64). */
export function readRentPerByte(sysvar: Buffer): bigint {
  return BigInt(Math.trunc(Number(sysvar.readBigUInt64LE(0)) * sysvar.readDoubleLE(8)));
}

export function rentExemption(rentPerByte: bigint, bytes: number): bigint {
  return (OVERHEAD_BYTES + BigInt(bytes)) * rentPerByte;
}

/** Slots over which a command measures; block times have whole seconds. */
const SPAN_SLOTS = 600;
/** A shorter time between two blocks would not be exact enough, in seconds. */
const MIN_SPAN_SECONDS = 20;

/** Reads both for a command, which has no time to measure: by the times of past blocks. */
export async function readClusterPace(connection: Connection): Promise<ClusterPace> {
  const [[rent], msPerBlock] = await Promise.all([
    readAccounts(connection, [SYSVAR_RENT_PUBKEY]),
    readMsPerBlock(connection),
  ]);
  if (!rent) throw new Error("the RPC returned no rent");
  return { msPerBlock, rentPerByte: readRentPerByte(rent.data) };
}

/** @returns milliseconds; null if the node does not keep enough past blocks */
export async function readMsPerBlock(connection: Connection): Promise<number | null> {
  try {
    const slot = await connection.getSlot();
    const slots = await connection.getBlocks(Math.max(0, slot - SPAN_SLOTS), slot);
    const ends = [slots[0] ?? slot, slots.at(-1) ?? slot];
    const [from, to] = await Promise.all(ends.map((each) => connection.getBlockTime(each)));
    const seconds = (to ?? 0) - (from ?? 0);
    return seconds < MIN_SPAN_SECONDS ? null : (seconds * 1000) / (slots.length - 1);
  } catch {
    return null;
  }
}
