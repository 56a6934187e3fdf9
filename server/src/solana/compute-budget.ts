import { ComputeBudgetProgram, type TransactionInstruction } from "@solana/web3.js";

/** The most compute units that a transaction may ask for. */
export const MAX_UNITS = 1_400_000;

/** What to ask for where a simulation took so many units: state moves on until it lands. */
export function unitsWithMargin(units: number): number {
  return Math.min(MAX_UNITS, Math.ceil(units * 1.2) + 1_000);
}

export function unitLimit(units: number): TransactionInstruction {
  return ComputeBudgetProgram.setComputeUnitLimit({ units });
}

/** @returns no instruction for a bid of 0 */
export function unitPrice(microLamports: bigint): TransactionInstruction[] {
  return microLamports === 0n ? [] : [ComputeBudgetProgram.setComputeUnitPrice({ microLamports })];
}
