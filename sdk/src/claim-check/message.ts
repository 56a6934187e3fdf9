import { splitTransaction } from "@tokenctl/shared/wire-transaction";
import { CheckError } from "../claim-errors.ts";
import { readLegacyMessage } from "../internal/legacy-message.ts";
import { isEmptySignature } from "../internal/wire-transaction.ts";
import { SYSTEM_PROGRAM } from "./addresses.ts";
import type { ClaimInstruction } from "./instruction.ts";

/** A claim's message. Addresses are base58. */
export interface ClaimMessage {
  /** The first one pays the network fee. */
  readonly signers: readonly string[];
  readonly instructions: readonly ClaimInstruction[];
}

export function refuseTransaction(saw: string): never {
  throw new CheckError({ instruction: null, program: null, saw });
}

/** @throws {CheckError} if it is not an unsigned legacy transaction in the canonical form */
export function readUnsignedMessage(transaction: Uint8Array): ClaimMessage {
  const { signatures, message } = attempt(() => splitTransaction(transaction));
  if (!signatures.every(isEmptySignature)) refuseTransaction("it already has a signature");
  const { requiredSigners, addresses, blockhash, instructions } = attempt(() =>
    readLegacyMessage(message),
  );
  // An unset blockhash is 32 zero bytes, which is also this address.
  if (blockhash === SYSTEM_PROGRAM) refuseTransaction("it has no recent blockhash");
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
