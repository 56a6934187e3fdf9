import {
  ComputeBudgetInstruction,
  ComputeBudgetProgram,
  type Connection,
  type PublicKey,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import type { Clock } from "../base/clock.ts";
import { SharedRead } from "../base/shared-read.ts";

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
      const sorted = fees.map((fee) => fee.prioritizationFee).sort((a, b) => a - b);
      return sorted.map(BigInt);
    };
    this.#recent = new SharedRead(read, () => LIFETIME_MS, clock);
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

/** @returns the bid in micro-lamports per compute unit, lowered to what the caps allow */
export function cappedBid(
  bid: bigint,
  { units, signatures }: { readonly units: number; readonly signatures: number },
  { maxPriorityMicroLamports, maxTransactionFeeLamports }: FeeCaps,
): bigint {
  const left = maxTransactionFeeLamports - LAMPORTS_PER_SIGNATURE * BigInt(signatures);
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

export function unitLimit(units: number): TransactionInstruction {
  return ComputeBudgetProgram.setComputeUnitLimit({ units });
}

export function unitPrice(microLamports: bigint): TransactionInstruction[] {
  return microLamports === 0n ? [] : [ComputeBudgetProgram.setComputeUnitPrice({ microLamports })];
}

/** @returns lamports that a transaction's own instructions bid for its place in a block */
export function bidOf(instructions: readonly TransactionInstruction[]): bigint {
  let units = 0;
  let price = 0n;
  for (const instruction of instructions) {
    if (!instruction.programId.equals(ComputeBudgetProgram.programId)) continue;
    const type = ComputeBudgetInstruction.decodeInstructionType(instruction);
    if (type === "SetComputeUnitLimit") {
      units = ComputeBudgetInstruction.decodeSetComputeUnitLimit(instruction).units;
    } else if (type === "SetComputeUnitPrice") {
      price = BigInt(ComputeBudgetInstruction.decodeSetComputeUnitPrice(instruction).microLamports);
    }
  }
  return priorityLamports(price, units);
}

/**
 * @param transaction a serialized legacy transaction that sets its own limit of compute units
 * @returns lamports that the transaction costs even if it fails on chain: its signatures and its bid
 */
export function networkFeeOf(transaction: Uint8Array): bigint {
  const { message, signatures } = VersionedTransaction.deserialize(transaction);
  const { instructions } = TransactionMessage.decompile(message);
  return LAMPORTS_PER_SIGNATURE * BigInt(signatures.length) + bidOf(instructions);
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
