import type { Connection, PublicKey } from "@solana/web3.js";
import type { Clock } from "../base/clock.ts";
import { SharedRead } from "./shared-read.ts";

/** Lamports that every signature of a transaction costs. Source: Solana's documentation, Fees. */
export const LAMPORTS_PER_SIGNATURE = 5_000n;

const MICRO_LAMPORTS = 1_000_000n;

/** How long one read is reused, in milliseconds: only the order of magnitude of a bid matters. */
const LIFETIME_MS = 10_000;

/** What others recently paid per compute unit to write to the same accounts. */
export class PriorityFees {
  readonly #recent: SharedRead<readonly bigint[]>;

  /** @param accounts the accounts that every transaction in question writes to; at most 128 */
  constructor(connection: Connection, accounts: readonly PublicKey[], clock: Clock) {
    const read = async (): Promise<readonly bigint[]> => {
      const fees = await connection.getRecentPrioritizationFees({
        lockedWritableAccounts: [...accounts],
      });
      return fees.map((fee) => BigInt(fee.prioritizationFee)).sort(ascending);
    };
    this.#recent = new SharedRead(read, () => LIFETIME_MS, clock);
  }

  /**
   * @param percentile 0 to 100: the share of recent slots that the bid would have satisfied
   * @returns micro-lamports per compute unit; 0 if nobody bids
   */
  async bid(percentile: number): Promise<bigint> {
    const recent = await this.#recent.get();
    const index = Math.min(recent.length - 1, Math.floor((recent.length * percentile) / 100));
    return recent[index] ?? 0n;
  }
}

export interface FeeCaps {
  /** Most micro-lamports to bid for a compute unit. */
  readonly maxPriorityMicroLamports: bigint;
  /** Most lamports that one transaction may cost in fees, signatures included. */
  readonly maxTransactionFeeLamports: bigint;
}

/**
 * The bid lowered to what the caps allow.
 *
 * @returns micro-lamports per compute unit
 */
export function cappedBid(
  bid: bigint,
  units: number,
  signatures: number,
  { maxPriorityMicroLamports, maxTransactionFeeLamports }: FeeCaps,
): bigint {
  const left = maxTransactionFeeLamports - LAMPORTS_PER_SIGNATURE * BigInt(signatures);
  const affordable = left > 0n ? (left * MICRO_LAMPORTS) / BigInt(units) : 0n;
  return min(bid, min(maxPriorityMicroLamports, affordable));
}

/** @returns lamports that a bid costs for so many compute units; rounded up, as the runtime does */
export function priorityLamports(bid: bigint, units: number): bigint {
  return (bid * BigInt(units) + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS;
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
