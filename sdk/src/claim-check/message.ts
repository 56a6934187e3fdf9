import { ClaimCheckError } from "../claim-errors.ts";
import { readLegacyMessage } from "../internal/legacy-message.ts";
import {
  CLAIM_SIGNATURES,
  isEmptySignature,
  splitTransaction,
} from "../internal/wire-transaction.ts";
import type { ClaimInstruction } from "./instruction.ts";

/** A claim's message. Addresses are base58. */
export interface ClaimMessage {
  /** The first one pays the network fee. */
  readonly signers: readonly string[];
  readonly blockhash: string;
  readonly instructions: readonly ClaimInstruction[];
}

export function refuseTransaction(saw: string): never {
  throw new ClaimCheckError({ instruction: null, program: null, saw });
}

/** @throws {ClaimCheckError} if it is not an unsigned legacy transaction in the canonical form */
export function readUnsignedMessage(
  transaction: Uint8Array,
  mostSignatures = CLAIM_SIGNATURES,
): ClaimMessage {
  const { signatures, message } = attempt(() => splitTransaction(transaction, mostSignatures));
  if (!signatures.every(isEmptySignature)) refuseTransaction("it already has a signature");
  const { requiredSigners, addresses, blockhash, instructions } = attempt(() =>
    readLegacyMessage(message),
  );
  const signers = addresses.slice(0, requiredSigners);
  if (signers.length !== signatures.length) {
    const saw = `it requires ${requiredSigners} signers, but has room for ${signatures.length}`;
    refuseTransaction(saw);
  }
  const numbered = instructions.map((instruction, index) => ({ ...instruction, index }));
  return { signers, blockhash, instructions: numbered };
}

function attempt<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    return refuseTransaction(`it cannot be read: ${(cause as Error).message}`);
  }
}
