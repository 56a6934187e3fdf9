import { SANDBOX_INSTRUCTION } from "@tokenctl/shared/programs/sandbox";
import { equalBytes } from "../internal/bytes.ts";
import { COMPUTE_BUDGET_PROGRAM } from "./addresses.ts";
import { type ClaimInstruction, readUnsignedMessage } from "./instruction.ts";

/** Why a transaction for a real chain is refused if it has the mark. */
export const NO_SANDBOX = "it is the mark of a sandbox, and the caller expects a real chain";

/** Returns whether an instruction is the sandbox's mark, which fails on every other chain. */
export function isMark({ program, accounts, data }: ClaimInstruction): boolean {
  const { program: token, accounts: marked, data: wanted } = SANDBOX_INSTRUCTION;
  const isSame = accounts.length === marked.length && accounts[0] === marked[0]?.address;
  return program === token && isSame && equalBytes(data, wanted);
}

/** Separates the mark, which comes first, from the other instructions, without compute budget. */
export function splitMark(instructions: readonly ClaimInstruction[]) {
  const own = instructions.filter(({ program }) => program !== COMPUTE_BUDGET_PROGRAM);
  const [first, ...rest] = own;
  return first && isMark(first) ? { mark: first, own: rest } : { mark: null, own };
}

/** Returns whether a transaction can land only on a sandbox. @throws {CheckError} if unreadable */
export function isMarked(transaction: Uint8Array): boolean {
  return readUnsignedMessage(transaction).instructions.some(isMark);
}
