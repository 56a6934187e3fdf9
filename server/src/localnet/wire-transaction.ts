import { ByteReader, SIGNATURE_BYTES, splitTransaction } from "@tokenctl/shared/wire-transaction";
import { base58 } from "../base/base58.ts";
import { parseMessage, VERSION_1_PREFIX } from "./parse-message.ts";
import { malformed, strictly, type WireMessage } from "./wire-message.ts";

/** The most bytes of a version 1 transaction (SIMD-0385). */
const MAX_VERSION_1_BYTES = 4_096;

export interface WireTransaction {
  readonly bytes: Uint8Array;
  readonly signatures: readonly Uint8Array[];
  /** Base58 of the first signature, which identifies the transaction. */
  readonly signature: string;
  readonly message: WireMessage;
}

/**
 * Reads a transaction of any version, as strictly as a node does. Only bytes that pass may reach
 * LiteSVM: its native code aborts the whole process on bytes that it cannot read.
 *
 * @throws {MalformedTransactionError} if the bytes are no such transaction
 */
export function parseTransaction(bytes: Uint8Array): WireTransaction {
  const split = bytes[0] === VERSION_1_PREFIX ? splitVersion1 : splitTransaction;
  const { signatures, message: ofMessage } = strictly(() => split(bytes));
  const message = parseMessage(ofMessage);
  const first = signatures[0];
  if (first === undefined || signatures.length !== message.requiredSignatures) {
    throw malformed("the message requires another number of signatures");
  }
  return { bytes, signatures, signature: base58.encode(first), message };
}

/** Version 1: the signatures follow the message, without a count of their own. */
function splitVersion1(bytes: Uint8Array) {
  if (bytes.length > MAX_VERSION_1_BYTES) {
    throw malformed(
      `transaction too large: ${bytes.length} bytes (max: ${MAX_VERSION_1_BYTES} bytes)`,
    );
  }
  const count = bytes[1] ?? 0;
  const reader = new ByteReader(bytes);
  const message = reader.take(Math.max(bytes.length - count * SIGNATURE_BYTES, 0));
  return { message, signatures: Array.from({ length: count }, () => reader.take(SIGNATURE_BYTES)) };
}

/** The same transaction with another blockhash. Its signatures are not valid for it. */
export function withBlockhash(tx: WireTransaction, blockhash: Uint8Array): WireTransaction {
  const bytes = Uint8Array.from(tx.bytes);
  const messageOffset = tx.message.bytes.byteOffset - tx.bytes.byteOffset;
  bytes.set(blockhash, messageOffset + tx.message.blockhashOffset);
  return parseTransaction(bytes);
}
