import { COMPUTE_BUDGET, SYSTEM } from "@tokenctl/shared/programs/ids";
import {
  type BuiltInstruction,
  type ReadInstruction,
  readInstruction,
} from "@tokenctl/shared/programs/program";
import { PROGRAMS } from "@tokenctl/shared/programs/programs";
import { SANDBOX_INSTRUCTION } from "@tokenctl/shared/programs/sandbox";
import { associatedToken } from "@tokenctl/shared/programs/solana";
import { splitTransaction } from "@tokenctl/shared/wire-transaction";
import { CheckError } from "../claim-errors.ts";
import { equalBytes } from "../internal/bytes.ts";
import { isEmptySignature, readLegacyMessage } from "../internal/wire-transaction.ts";
import type { Parties } from "./parties.ts";

/** A claim's message. Addresses are base58. */
export interface ClaimMessage {
  /** The first one pays the network fee. */
  readonly signers: readonly string[];
  readonly instructions: readonly ClaimInstruction[];
}

export function refuseTransaction(saw: string, what?: "hand-over" | "launch"): never {
  throw new CheckError({ instruction: null, program: null, saw }, what);
}

export function readUnsignedMessage(transaction: Uint8Array): ClaimMessage {
  const { signatures, message } = attempt(() => splitTransaction(transaction));
  if (!signatures.every(isEmptySignature)) refuseTransaction("it already has a signature");
  const { requiredSigners, addresses, blockhash, instructions } = attempt(() =>
    readLegacyMessage(message),
  );
  // An unset blockhash is 32 zero bytes, which are also this address.
  if (blockhash === SYSTEM) refuseTransaction("it has no recent blockhash");
  const signers = addresses.slice(0, requiredSigners);
  if (signers.length !== signatures.length) {
    const saw = `it requires ${requiredSigners} signers, but has room for ${signatures.length}`;
    refuseTransaction(saw);
  }
  const numbered = instructions.map((instruction, index) => ({ ...instruction, index }));
  return { signers, instructions: numbered };
}

function attempt<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    return refuseTransaction(`it cannot be read: ${(cause as Error).message}`);
  }
}

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

/** Returns the mint whose fees an instruction takes; null if it only prepares or completes that. */
export type InstructionCheck = (instruction: ClaimInstruction, parties: Parties) => string | null;

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

/** Returns null if an instruction is not in the table of programs, or does not match its layout. */
export function tryRead(seen: ClaimInstruction | undefined): ReadInstruction | null {
  const program = seen && PROGRAMS.get(seen.program);
  if (!program) return null;
  // The Associated Token Account program reads a single 0 like no data.
  const isCreate = program === associatedToken && seen.data.length === 1 && seen.data[0] === 0;
  try {
    return readInstruction(program, seen.accounts, isCreate ? new Uint8Array() : seen.data);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Why a transaction for a real chain is refused if it has the mark. */
export const NO_SANDBOX = "it is the mark of a sandbox, and the caller expects a real chain";

/** Returns whether an instruction is the sandbox's mark, which fails on every other chain. */
export function isMark({ program, accounts, data }: ClaimInstruction): boolean {
  const { program: token, accounts: marked, data: wanted } = SANDBOX_INSTRUCTION;
  const isSame = accounts.length === marked.length && accounts[0] === marked[0]?.address;
  return program === token && isSame && equalBytes(data, wanted);
}

/** Separates the mark, which comes first, from the other instructions, without compute budget. */
export function splitMark(instructions: readonly ClaimInstruction[], mayBeSandbox: boolean) {
  const own = instructions.filter(({ program }) => program !== COMPUTE_BUDGET);
  const [first, ...rest] = own;
  if (!first || !isMark(first)) return { isMarked: false, own };
  if (!mayBeSandbox) refuseInstruction(first, NO_SANDBOX);
  return { isMarked: true, own: rest };
}

/** Returns whether a transaction can land only on a sandbox. */
export function isMarked(transaction: Uint8Array): boolean {
  return readUnsignedMessage(transaction).instructions.some(isMark);
}
