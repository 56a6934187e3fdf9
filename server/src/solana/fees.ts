import type { Connection, PublicKey } from "@solana/web3.js";
import type { Clock } from "../base/clock.ts";
import { SharedRead } from "../base/shared-read.ts";
import { COMMITMENT, rawRequest } from "./connection.ts";
import { RpcError, readRpcError } from "./rpc-answer.ts";

const MICRO_LAMPORTS = 1_000_000n;

/** How long one read is reused, in milliseconds: only the order of magnitude of a bid matters. */
const LIFETIME_MS = 10_000;

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
    this.#recent = new SharedRead(read, LIFETIME_MS, clock);
  }

  /** @param percentile 0 to 100: the share of recent slots that the bid would have satisfied */
  async bid(percentile: number): Promise<bigint> {
    const recent = await this.#recent.get();
    const index = Math.min(recent.length - 1, Math.floor((recent.length * percentile) / 100));
    return recent[index] ?? 0n;
  }
}

export interface FeeCaps {
  readonly maxPriorityMicroLamports: bigint;
  /** Most lamports that one transaction may cost in fees, signatures included. */
  readonly maxTransactionFeeLamports: bigint;
}

/**
 * @param fee lamports of the transaction without a bid
 * @returns the bid in micro-lamports per compute unit, lowered to what the caps allow
 */
export function cappedBid(
  bid: bigint,
  { units, fee }: { readonly units: number; readonly fee: bigint },
  { maxPriorityMicroLamports, maxTransactionFeeLamports }: FeeCaps,
): bigint {
  const left = maxTransactionFeeLamports - fee;
  const affordable = left > 0n ? (left * MICRO_LAMPORTS) / BigInt(units) : 0n;
  return [maxPriorityMicroLamports, affordable].reduce((a, b) => (a < b ? a : b), bid);
}

/** @returns lamports that a bid costs for this many compute units; rounded up, as the runtime does */
export function priorityLamports(bid: bigint, units: number): bigint {
  return (bid * BigInt(units) + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS;
}

/** The most compute units that a transaction may ask for (`MAX_COMPUTE_UNIT_LIMIT` of agave). */
export const MAX_UNITS = 1_400_000;

/** @returns units to ask for after a simulation took `units`: the state may change until it lands */
export function unitsWithMargin(units: number): number {
  return Math.min(MAX_UNITS, Math.ceil(units * 1.2) + 1_000);
}

/**
 * Lamports that the network takes for a message of a recent blockhash. @throws {RpcError} the node does not know
 * the blockhash
 */
export async function readFee(connection: Connection, message: Uint8Array): Promise<bigint> {
  const text = Buffer.from(message).toString("base64");
  const answer = await rawRequest(connection, FEE_METHOD, [text, { commitment: COMMITMENT }]);
  const { value } = Object(answer) as { value?: unknown };
  if (Number.isSafeInteger(value)) return BigInt(value as number);
  throw new RpcError("behind", FEE_METHOD, "it does not know the blockhash");
}

const FEE_METHOD = "getFeeForMessage";

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
