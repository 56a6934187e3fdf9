import { type Connection, type PublicKey, SYSVAR_RENT_PUBKEY } from "@solana/web3.js";
import { SharedRead } from "../base/cache.ts";
import type { Clock } from "../base/clock.ts";
import { BLOCKHASH_VALID_BLOCKS, type ClusterPace } from "../domain/cluster-pace.ts";
import { readAccounts } from "./connection.ts";
import { readRpcError } from "./rpc-answer.ts";

/**
 * Milliseconds per block until two heights have been read. Source: SIMD-0525, the shortest planned
 * block time, so that deadlines derived from it are early rather than late.
 */
const UNMEASURED_MS = 200;

/** Milliseconds between two readings: long enough that one block more or less matters little. */
const WINDOW_MS = 10_000;

/** A slower answer may show an old height, because the process may have been paused. */
const TIMELY_MS = 3_000;

/** How long the height is extrapolated. Later it is unknown whether the chain made blocks. */
const KNOWN_FOR_MS = 30_000;

/** A value outside this range, in milliseconds per block, means a halt or a changed clock. */
const SHORTEST_MS = 20;
const LONGEST_MS = 2_000;

/** How many of the latest windows count: two minutes. */
const WINDOWS = 12;

/**
 * Measures how long the chain takes for a block. It reads the height every ten seconds and uses the
 * fast quartile of the last two minutes. So it notices a faster chain within half a minute, and a
 * halt, a paused process, a changed clock or a node that is behind does not distort the result.
 */
export class BlockPace {
  #last: { readonly height: number; readonly at: number } | null = null;
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

  /** Reads the confirmed height if the last reading is a window old. Call it every few seconds. */
  async measure(readHeight: () => Promise<number>): Promise<void> {
    const askedAt = this.clock.elapsed();
    if (this.#last !== null && askedAt - this.#last.at < WINDOW_MS) return;
    const height = await readHeight();
    const at = this.clock.elapsed();
    if (at - askedAt > TIMELY_MS) return;
    const since = this.#last;
    this.#last = { height, at };
    if (since === null || height <= since.height) return;
    const msPerBlock = (at - since.at) / (height - since.height);
    if (msPerBlock < SHORTEST_MS || msPerBlock > LONGEST_MS) return;
    this.#windows = [...this.#windows.slice(1 - WINDOWS), msPerBlock];
  }

  /** The confirmed height by the last reading and the pace; 0 before the first reading. */
  get height(): number {
    if (this.#last === null) return 0;
    return this.#last.height + (this.clock.elapsed() - this.#last.at) / this.msPerBlock;
  }

  /** Returns for how many milliseconds the transaction can still land; 0 if it has expired. */
  msUntil(lastValidBlockHeight: number): number {
    const { msPerBlock } = this;
    const age = this.clock.elapsed() - (this.#last?.at ?? Number.NEGATIVE_INFINITY);
    const height = age > KNOWN_FOR_MS ? 0 : this.height;
    const blocks = Math.min(BLOCKHASH_VALID_BLOCKS, lastValidBlockHeight - height);
    return Math.max(0, blocks) * msPerBlock;
  }
}

/** How long a read is reused, in milliseconds: only the order of magnitude of a price matters. */
const PRICES_FOR_MS = 10_000;

/**
 * Reads the priority fees that others recently paid to write to the same accounts. If the node does
 * not answer, keeps the last answer; the probe reports the failure.
 */
export class PriorityFees {
  readonly #recent: SharedRead<readonly bigint[]>;
  #last: readonly bigint[] = [];

  /** @param accounts the accounts that every such transaction writes to; at most 128 */
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
    this.#recent = new SharedRead(read, PRICES_FOR_MS, clock);
  }

  /** @param percentile 0 to 100: the share of recent slots for which the price would have sufficed */
  async unitPrice(percentile: number): Promise<bigint> {
    const recent = await this.#recent.get();
    const index = Math.min(recent.length - 1, Math.floor((recent.length * percentile) / 100));
    return recent[index] ?? 0n;
  }
}

/** Lamports per byte before SIMD-0437 lowers the rent in steps; SIMD-0438 may raise it again. */
const USUAL_RENT_PER_BYTE = 6_960n;

/** Bytes of metadata for which every account pays rent (agave `ACCOUNT_STORAGE_OVERHEAD`). */
const OVERHEAD_BYTES = 128n;

/** Returns the most that a cost, which is mostly rent, may rise to before the transaction lands. */
export function atHighestRent(lamports: bigint, now: bigint): bigint {
  if (now === 0n || now >= USUAL_RENT_PER_BYTE) return lamports;
  return (lamports * USUAL_RENT_PER_BYTE) / now;
}

/** Source: `Rent` in solana-sdk: lamports per byte and year (u64), then years (f64). */
export function readRentPerByte(sysvar: Buffer): bigint {
  return BigInt(Math.trunc(Number(sysvar.readBigUInt64LE(0)) * sysvar.readDoubleLE(8)));
}

export function rentExemption(rentPerByte: bigint, bytes: number): bigint {
  return (OVERHEAD_BYTES + BigInt(bytes)) * rentPerByte;
}

/** Slots over which a command measures: block times are whole seconds. */
const SPAN_SLOTS = 600;
/** The shortest time between two blocks that is exact enough, in seconds. */
const MIN_SPAN_SECONDS = 20;

/** Reads the rent, and the block time from past blocks: a command has no time to measure. */
export async function readClusterPace(connection: Connection): Promise<ClusterPace> {
  const [[rent], msPerBlock] = await Promise.all([
    readAccounts(connection, [SYSVAR_RENT_PUBKEY]),
    readMsPerBlock(connection),
  ]);
  if (!rent) throw new Error("the RPC returned no rent");
  return { msPerBlock, rentPerByte: readRentPerByte(rent.data) };
}

/** Returns milliseconds per block; null if the node does not keep enough past blocks. */
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
