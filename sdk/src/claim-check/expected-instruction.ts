import {
  type BuiltInstruction,
  type ReadInstruction,
  readInstruction,
} from "@tokenctl/shared/programs/program";
import { PROGRAMS } from "@tokenctl/shared/programs/programs";
import { associatedToken } from "@tokenctl/shared/programs/solana";
import { equalBytes } from "../internal/bytes.ts";
import { type ClaimInstruction, refuseInstruction } from "./instruction.ts";

/** @throws {CheckError} unless the instruction is the expected one in every byte and account */
export function expectSame(seen: ClaimInstruction, wanted: BuiltInstruction): void {
  const { name, program, accounts, data } = wanted;
  if (seen.program !== program) {
    refuseInstruction(seen, `it calls ${seen.program} instead of ${program} for ${name}`);
  }
  if (seen.accounts.length !== accounts.length) {
    const count = `${seen.accounts.length} accounts instead of ${accounts.length}`;
    refuseInstruction(seen, `${name} has ${count}`);
  }
  for (const [place, { name: what, address }] of accounts.entries()) {
    if (seen.accounts[place] === address) continue;
    refuseInstruction(seen, `${name}'s ${what} is ${seen.accounts[place]} instead of ${address}`);
  }
  if (!equalBytes(seen.data, data)) {
    refuseInstruction(seen, `${name} has other arguments than those asked for`);
  }
}

/** @returns null for an instruction that is not in the table of programs, or is not as it says */
export function tryRead(seen: ClaimInstruction | undefined): ReadInstruction | null {
  const program = seen && PROGRAMS.get(seen.program);
  if (!program) return null;
  // The program of associated accounts reads a single 0 as no data.
  const isCreate = program === associatedToken && seen.data.length === 1 && seen.data[0] === 0;
  try {
    return readInstruction(program, seen.accounts, isCreate ? new Uint8Array() : seen.data);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** @throws {CheckError} unless an instruction is in the table of programs, with all of its accounts and no others */
export function readExactly(seen: ClaimInstruction): ReadInstruction {
  const read = tryRead(seen);
  const { program, accounts, data } = seen;
  if (!read) {
    const what = `instruction ${data[0]} of ${program} with ${data.length} bytes of data`;
    refuseInstruction(seen, `${what} and ${accounts.length} accounts is not known`);
  }
  if (read.more.length === 0) return read;
  const usual = accounts.length - read.more.length;
  return refuseInstruction(
    seen,
    `${read.name} has ${accounts.length} accounts instead of ${usual}`,
  );
}
