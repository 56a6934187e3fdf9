import { CheckError } from "../claim-errors.ts";
import type { Parties } from "./parties.ts";

/** One instruction of a claim transaction. Addresses are base58. */
export interface ClaimInstruction {
  /** Position in the transaction, from 0. */
  readonly index: number;
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
}

export function refuseInstruction(instruction: ClaimInstruction, saw: string): never {
  throw new CheckError({ instruction: instruction.index, program: instruction.program, saw });
}

export function expectAccount(
  instruction: ClaimInstruction,
  what: string,
  actual: string,
  expected: string,
  whose: string,
): void {
  if (actual !== expected) {
    refuseInstruction(instruction, `${what} is ${actual} instead of ${whose} (${expected})`);
  }
}

/**
 * Checks one instruction: it pays fees to the agent, or only prepares or finishes that.
 *
 * @returns the mint whose fees it takes; null if it takes none
 */
export type InstructionCheck = (instruction: ClaimInstruction, parties: Parties) => string | null;
