import { type PublicKey, SystemProgram, type TransactionInstruction } from "@solana/web3.js";
import { limits } from "@tokenctl/shared/limits";
import type { TransactionVersion } from "@tokenctl/shared/words";
import { MAX_UNITS } from "../../solana/fees.ts";
import { compileMessage, unsignedTransaction } from "../../solana/message.ts";
import type { ClaimParts } from "../pool-program.ts";

/** @returns as many tokens as fit into one transaction, in their order, at least one */
export function fitTokens<Parts extends ClaimParts>(
  parts: Parts,
  fits: (parts: Parts) => boolean,
): Parts {
  let fitting = { ...parts, tokens: parts.tokens.slice(0, 1) };
  for (const token of parts.tokens.slice(1)) {
    const more = { ...fitting, tokens: [...fitting.tokens, token] };
    if (fits(more)) fitting = more;
  }
  return fitting;
}

export function claimOf({ first, tokens, last }: ClaimParts): TransactionInstruction[] {
  return [...first, ...tokens.flatMap(({ instructions }) => instructions), ...last];
}

/** Whether instructions fit into a transaction, with a limit of compute units and a bid. */
export function fitsIntoTransaction(
  payer: PublicKey,
  instructions: readonly TransactionInstruction[],
  {
    version = "legacy",
    most = limits.transaction.bytes,
  }: { readonly version?: TransactionVersion; readonly most?: number } = {},
): boolean {
  const blockhash = SystemProgram.programId.toBase58();
  const budget = { units: MAX_UNITS, price: 1n };
  try {
    const message = compileMessage({ version, payer, instructions, budget, blockhash });
    return unsignedTransaction(message).length <= most;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
