import { ClaimCheckError } from "../claim-errors.ts";
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
  throw new ClaimCheckError({ instruction: instruction.index, program: instruction.program, saw });
}

/** Accounts of one instruction, by the program's names for them. */
type NamedAccounts<Name extends string> = Readonly<Record<Name, string>>;

/** @throws {ClaimCheckError} if there are more or fewer accounts than names */
export function nameAccounts<Name extends string>(
  instruction: ClaimInstruction,
  what: string,
  names: readonly Name[],
): NamedAccounts<Name> {
  const { accounts } = instruction;
  if (accounts.length !== names.length) {
    const saw = `${what} has ${accounts.length} accounts instead of ${names.length}`;
    refuseInstruction(instruction, saw);
  }
  return Object.fromEntries(names.map((name, i) => [name, accounts[i]])) as NamedAccounts<Name>;
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

/** Checks one instruction: it pays fees to the agent, or only prepares or finishes that. */
export type InstructionCheck = (
  instruction: ClaimInstruction,
  parties: Parties,
) => "takes fees" | "prepares";
