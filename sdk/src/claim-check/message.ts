import { ClaimCheckError } from "../claim-errors.ts";
import { readLegacyMessage } from "../internal/legacy-message.ts";
import { isEmptySignature, splitTransaction } from "../internal/wire-transaction.ts";
import type { ClaimInstruction } from "./instruction.ts";

/** A claim's message, with its addresses resolved. */
export interface ClaimMessage {
  /** Base58; the first one pays the network fee. */
  readonly signers: readonly string[];
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
 * @throws {ClaimCheckError} if it is none, carries a signature, or is not encoded in the
 * canonical form
 */
export function readUnsignedMessage(transaction: Uint8Array): ClaimMessage {
  const { signatures, message } = attempt(() => splitTransaction(transaction));
  if (!signatures.every(isEmptySignature)) refuseTransaction("it carries a signature already");
  const { requiredSigners, addresses, blockhash, instructions } = attempt(() =>
    readLegacyMessage(message),
  );
  const signers = addresses.slice(0, requiredSigners);
  if (signers.length !== signatures.length) {
    refuseTransaction(
      `it requires ${requiredSigners} signers and has room for ${signatures.length}`,
    );
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
