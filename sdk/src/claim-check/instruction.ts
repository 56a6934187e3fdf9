import { ClaimCheckError } from "../claim-errors.ts";
import type { Parties } from "./parties.ts";

/** One instruction of a claim transaction, with its addresses resolved. */
export interface ClaimInstruction {
  /** Position in the transaction, from 0. */
  readonly index: number;
  /** Base58. */
  readonly program: string;
  /** Base58, in the program's order. */
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
}

/** Refuses the claim because of one instruction. */
export function refuseInstruction(instruction: ClaimInstruction, saw: string): never {
  throw new ClaimCheckError({ instruction: instruction.index, program: instruction.program, saw });
}

/** Accounts of one instruction, by the names that the program's interface gives them. */
export type NamedAccounts<Name extends string> = Readonly<Record<Name, string>>;

/**
 * @param names what the program calls its accounts, in order
 * @throws {ClaimCheckError} if there are more or fewer accounts than names
 */
export function nameAccounts<Name extends string>(
  instruction: ClaimInstruction,
  what: string,
  names: readonly Name[],
): NamedAccounts<Name> {
  const { accounts } = instruction;
  if (accounts.length !== names.length) {
    refuseInstruction(
      instruction,
      `${what} has ${accounts.length} accounts instead of ${names.length}`,
    );
  }
  return Object.fromEntries(names.map((name, i) => [name, accounts[i]])) as NamedAccounts<Name>;
}

/** @throws {ClaimCheckError} if the account is not the expected one */
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

/** Checks one instruction of one program. */
export type InstructionCheck = (
  instruction: ClaimInstruction,
  parties: Parties,
) => InstructionEffect;

/** Whether an instruction pays fees to the agent, or only prepares or finishes that. */
type InstructionEffect = "takes fees" | "prepares";
