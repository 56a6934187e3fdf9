import { TOKEN_2022_PROGRAM_ID, TOKEN_PROGRAM_ID } from "@solana/spl-token";
import {
  PublicKey,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from "@solana/web3.js";
import { LIGHTHOUSE_PROGRAM } from "@tokenctl/shared/lighthouse";
import type { ProgramRefusal } from "../../solana/transaction-error.ts";
import { ClaimOutdatedError, ClaimRefusedError } from "../errors.ts";

/** The tag of SPL Token's CloseAccount, and its refusal to close an account that holds tokens. */
const CLOSE_ACCOUNT = 9;
const NON_NATIVE_HAS_BALANCE = 11;

const lighthouse = new PublicKey(LIGHTHOUSE_PROGRAM);

/**
 * Whether a claim was refused because it closes the token account that it makes, and somebody made
 * and filled that account after the claim was built.
 */
export function isFilledMeanwhile(
  refusal: ProgramRefusal | null,
  instructions: readonly TransactionInstruction[],
): boolean {
  if (refusal?.code !== NON_NATIVE_HAS_BALANCE) return false;
  const instruction = instructions[refusal.index];
  return (
    instruction !== undefined &&
    [TOKEN_PROGRAM_ID, TOKEN_2022_PROGRAM_ID].some((id) => id.equals(instruction.programId)) &&
    instruction.data[0] === CLOSE_ACCOUNT
  );
}

/** @returns the error for a signed claim that the chain refused */
export function claimRefusal(
  transaction: Uint8Array,
  refusal: ProgramRefusal | null,
  reason: string,
  cause: unknown,
): ClaimRefusedError | ClaimOutdatedError {
  const { message } = VersionedTransaction.deserialize(transaction);
  const { instructions } = TransactionMessage.decompile(message);
  if (isFilledMeanwhile(refusal, instructions)) {
    return new ClaimOutdatedError(
      "The agent's account for the token was made and filled after the claim was built: claim again",
      cause,
    );
  }
  if (refusal && instructions[refusal.index]?.programId.equals(lighthouse)) {
    return new ClaimRefusedError(
      `The chain refused the claim: an assertion that the wallet added does not hold (${reason})`,
      cause,
    );
  }
  return new ClaimRefusedError(`The chain refused the claim (${reason})`, cause);
}
