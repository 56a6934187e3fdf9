import {
  ComputeBudgetInstruction,
  ComputeBudgetProgram,
  type TransactionInstruction,
} from "@solana/web3.js";
import { priorityLamports } from "./priority-fee.ts";

/** The most compute units that a transaction may ask for (`MAX_COMPUTE_UNIT_LIMIT` of agave). */
export const MAX_UNITS = 1_400_000;

/** @returns units to ask for after a simulation took `units`: the state may change until it lands */
export function unitsWithMargin(units: number): number {
  return Math.min(MAX_UNITS, Math.ceil(units * 1.2) + 1_000);
}

export function unitLimit(units: number): TransactionInstruction {
  return ComputeBudgetProgram.setComputeUnitLimit({ units });
}

/** @param microLamports the bid per compute unit; 0 needs no instruction */
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
