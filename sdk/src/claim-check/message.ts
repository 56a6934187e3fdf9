import { ClaimCheckError } from "../claim-errors.ts";
import { readLegacyMessage } from "../internal/legacy-message.ts";
import { isEmptySignature, splitTransaction } from "../internal/wire-transaction.ts";
import type { ClaimInstruction } from "./instruction.ts";

/** Set in the first byte of a versioned message; a legacy one has its count of signers there. */
const VERSION_BIT = 0x80;

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
  const { signatures, message: bytes } = attempt(() => splitTransaction(transaction));
  if (!signatures.every(isEmptySignature)) refuseTransaction("it carries a signature already");
  if ((bytes[0] ?? 0) & VERSION_BIT) refuseTransaction("it is versioned; a claim is legacy");
  const { requiredSigners, addresses, blockhash, instructions } = attempt(() =>
    readLegacyMessage(bytes),
  );
  const address = (index: number): string =>
    addresses[index] ?? refuseTransaction(`it refers to account ${index} of ${addresses.length}`);
  if (requiredSigners !== signatures.length) {
    refuseTransaction(
      `it requires ${requiredSigners} signers and has room for ${signatures.length}`,
    );
  }
  return {
    signers: signatures.map((_, index) => address(index)),
    blockhash,
    instructions: instructions.map(({ program, accounts, data }, index) => ({
      index,
      program: address(program),
      accounts: accounts.map(address),
      data,
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
