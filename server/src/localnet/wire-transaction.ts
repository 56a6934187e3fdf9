import { base58, SIGNATURE_BYTES } from "../base/base58.ts";
import { ByteReader } from "./byte-reader.ts";
import { parseMessage, VERSION_1_PREFIX } from "./parse-message.ts";
import { malformed, type WireMessage } from "./wire-message.ts";

/** The most bytes of a legacy or v0 transaction (solana-packet `PACKET_DATA_SIZE`). */
const MAX_TRANSACTION_BYTES = 1_232;
/** The most bytes of a version 1 transaction (SIMD-0385). */
export const MAX_VERSION_1_BYTES = 4_096;

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
  const version1 = bytes[0] === VERSION_1_PREFIX;
  const most = version1 ? MAX_VERSION_1_BYTES : MAX_TRANSACTION_BYTES;
  if (bytes.length > most) {
    throw malformed(`transaction too large: ${bytes.length} bytes (max: ${most} bytes)`);
  }
  const { signatures, message } = version1 ? messageFirst(bytes) : signaturesFirst(bytes);
  const first = signatures[0];
  if (first === undefined || signatures.length !== message.requiredSignatures) {
    throw malformed("the message requires another number of signatures");
  }
  return { bytes, signatures, signature: base58.encode(first), message };
}

type Parts = Pick<WireTransaction, "signatures" | "message">;

function signaturesFirst(bytes: Uint8Array): Parts {
  const reader = new ByteReader(bytes, malformed);
  const signatures = reader.list(() => reader.take(SIGNATURE_BYTES));
  return { signatures, message: parseMessage(reader.rest()) };
}

/** Version 1: the signatures follow the message, without a count of their own. */
function messageFirst(bytes: Uint8Array): Parts {
  const count = bytes[1] ?? 0;
  const reader = new ByteReader(bytes, malformed);
  const message = reader.take(Math.max(bytes.length - count * SIGNATURE_BYTES, 0));
  const signatures = Array.from({ length: count }, () => reader.take(SIGNATURE_BYTES));
  return { signatures, message: parseMessage(message) };
}

/** The same transaction with another blockhash. Its signatures are not valid for it. */
export function withBlockhash(tx: WireTransaction, blockhash: Uint8Array): WireTransaction {
  const bytes = Uint8Array.from(tx.bytes);
  const messageOffset = tx.message.bytes.byteOffset - tx.bytes.byteOffset;
  bytes.set(blockhash, messageOffset + tx.message.blockhashOffset);
  return parseTransaction(bytes);
}
