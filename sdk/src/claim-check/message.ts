import { Message } from "@solana/web3.js";
import bs58 from "bs58";
import { ClaimCheckError } from "../claim-errors.ts";
import { isEmptySignature, splitTransaction } from "../internal/wire-transaction.ts";
import type { ClaimInstruction } from "./instruction.ts";

/** Set in the first byte of a versioned message; a legacy one has its count of signers there. */
const VERSION_BIT = 0x80;

/** A claim's message, with its addresses resolved. */
export interface ClaimMessage {
  readonly requiredSigners: number;
  /** Base58; null if there are no accounts. */
  readonly feePayer: string | null;
  /** Base58. */
  readonly blockhash: string;
  readonly instructions: readonly ClaimInstruction[];
}

/** Refuses the transaction as a whole. */
export function refuseTransaction(saw: string): never {
  throw new ClaimCheckError({ instruction: null, program: null, saw });
}

/**
 * Reads an unsigned legacy transaction.
 *
 * @throws {ClaimCheckError} if it is none, carries a signature, or is not encoded as Solana's own
 * library encodes it
 */
export function readUnsignedMessage(transaction: Uint8Array): ClaimMessage {
  const { signature, message: bytes } = attempt(() => splitTransaction(transaction));
  if (!isEmptySignature(signature)) refuseTransaction("it carries a signature already");
  if ((bytes[0] ?? 0) & VERSION_BIT) refuseTransaction("it is versioned; a claim is legacy");
  const message = attempt(() => Message.from(bytes));
  // Another reader could read extra bytes, or a second encoding, as something else.
  const canonical = attempt(() => message.serialize());
  if (Buffer.compare(canonical, bytes) !== 0) {
    refuseTransaction("its bytes are not the canonical form of what they say");
  }
  const address = (index: number): string =>
    message.accountKeys[index]?.toBase58() ??
    refuseTransaction(`it refers to account ${index} of ${message.accountKeys.length}`);
  return {
    requiredSigners: message.header.numRequiredSignatures,
    feePayer: message.accountKeys[0]?.toBase58() ?? null,
    blockhash: message.recentBlockhash,
    instructions: message.instructions.map((instruction, index) => ({
      index,
      program: address(instruction.programIdIndex),
      accounts: instruction.accounts.map(address),
      data: bs58.decode(instruction.data),
    })),
  };
}

function attempt<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    return refuseTransaction(`it cannot be read: ${(cause as Error).message}`);
  }
}
