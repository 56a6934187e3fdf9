import { Message, PublicKey } from "@solana/web3.js";
import type { ClaimTerms } from "../claim-check.ts";
import { ClaimCheckError } from "../errors.ts";
import { isEmptySignature, splitTransaction } from "../internal/wire-transaction.ts";

/** Checks the transaction as a whole, then every instruction. See `checkClaimTransaction`. */
export function checkTransaction(transaction: Uint8Array, terms: ClaimTerms): void {
  const message = readMessage(transaction);
  const agent = new PublicKey(terms.agent);
  const { numRequiredSignatures } = message.header;
  if (numRequiredSignatures !== 1) refuse(`${numRequiredSignatures} signers are required`);
  const feePayer = message.accountKeys[0];
  if (!feePayer?.equals(agent)) refuse(`the fee payer is ${feePayer} instead of the agent`);
  for (const [index, { programIdIndex }] of message.instructions.entries()) {
    const program = message.accountKeys[programIdIndex]?.toBase58() ?? null;
    throw new ClaimCheckError({ instruction: index, program, saw: "an unknown program is called" });
  }
}

function readMessage(transaction: Uint8Array): Message {
  try {
    const { signature, message } = splitTransaction(transaction);
    if (!isEmptySignature(signature)) refuse("it carries a signature already");
    return Message.from(message);
  } catch (cause) {
    if (cause instanceof ClaimCheckError) throw cause;
    return refuse((cause as Error).message);
  }
}

function refuse(saw: string): never {
  throw new ClaimCheckError({ instruction: null, program: null, saw });
}
