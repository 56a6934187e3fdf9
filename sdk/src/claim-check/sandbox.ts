import { SANDBOX_INSTRUCTION } from "@tokenctl/shared/programs/sandbox";
import { equalBytes } from "../internal/bytes.ts";
import { COMPUTE_BUDGET_PROGRAM } from "./addresses.ts";
import { type ClaimInstruction, readUnsignedMessage } from "./instruction.ts";

/** Why a transaction with the mark is refused that should land on a real chain. */
export const NO_SANDBOX = "it is the mark of a sandbox, and the caller expects a real chain";

/** Whether an instruction is the sandbox's mark: a transaction with it fails on every other chain. */
export function isMark({ program, accounts, data }: ClaimInstruction): boolean {
  const { program: token, accounts: marked, data: wanted } = SANDBOX_INSTRUCTION;
  const isSame = accounts.length === marked.length && accounts[0] === marked[0]?.address;
  return program === token && isSame && equalBytes(data, wanted);
}

/** Separates the mark, which comes first, from what a transaction does. The compute budget is left out. */
export function splitMark(instructions: readonly ClaimInstruction[]) {
  const own = instructions.filter(({ program }) => program !== COMPUTE_BUDGET_PROGRAM);
  const [first, ...rest] = own;
  return first && isMark(first) ? { mark: first, own: rest } : { mark: null, own };
}

/** Whether an unsigned transaction can only land on a sandbox. @throws {CheckError} if it cannot be read */
export function isMarked(transaction: Uint8Array): boolean {
  return readUnsignedMessage(transaction).instructions.some(isMark);
}
