import { base58, PUBLIC_KEY_BYTES, SIGNATURE_BYTES } from "./base58.ts";
import { ByteReader } from "./byte-reader.ts";

/** The most bytes of a transaction on the wire (solana-packet `PACKET_DATA_SIZE`). */
export const MAX_TRANSACTION_BYTES = 1_232;

export interface WireInstruction {
  readonly programIdIndex: number;
  readonly accounts: Uint8Array;
  readonly data: Uint8Array;
}

interface AddressTableLookup {
  readonly table: Uint8Array;
  readonly writable: Uint8Array;
  readonly readonly: Uint8Array;
}

export interface WireMessage {
  readonly bytes: Uint8Array;
  readonly version: "legacy" | 0;
  readonly requiredSignatures: number;
  readonly readonlySigned: number;
  readonly readonlyUnsigned: number;
  readonly staticKeys: readonly Uint8Array[];
  readonly blockhash: Uint8Array;
  /** Where in `bytes` the blockhash starts. */
  readonly blockhashOffset: number;
  readonly instructions: readonly WireInstruction[];
  readonly lookups: readonly AddressTableLookup[];
}

export interface WireTransaction {
  readonly bytes: Uint8Array;
  readonly signatures: readonly Uint8Array[];
  /** Base58 of the first signature, which identifies the transaction. */
  readonly signature: string;
  readonly message: WireMessage;
}

/** The bytes are no transaction that a node accepts. */
export class MalformedTransactionError extends Error {
  override readonly name = "MalformedTransactionError";
  readonly code = "malformed_transaction";
}

/**
 * Reads a legacy or v0 transaction, as strictly as a node does. Only bytes that pass may reach
 * LiteSVM: its native code aborts the whole process on bytes that it cannot read.
 *
 * @throws {MalformedTransactionError} if the bytes are no such transaction
 */
export function parseTransaction(bytes: Uint8Array): WireTransaction {
  if (bytes.length > MAX_TRANSACTION_BYTES) {
    throw new MalformedTransactionError(
      `transaction too large: ${bytes.length} bytes (max: ${MAX_TRANSACTION_BYTES} bytes)`,
    );
  }
  const reader = new ByteReader(bytes, malformed);
  const signatures = reader.list(() => reader.take(SIGNATURE_BYTES));
  const message = parseMessage(reader.rest());
  const first = signatures[0];
  if (first === undefined || signatures.length !== message.requiredSignatures) {
    throw malformed("the message requires another number of signatures");
  }
  return { bytes, signatures, signature: base58.encode(first), message };
}

/**
 * Reads a legacy or v0 message (solana-message `legacy::Message` and `v0::Message`).
 *
 * @throws {MalformedTransactionError} if the bytes are no such message
 */
export function parseMessage(bytes: Uint8Array): WireMessage {
  const reader = new ByteReader(bytes, malformed);
  const first = reader.byte();
  const versioned = (first & 0x80) !== 0;
  if (versioned && first !== 0x80) {
    throw malformed(`transaction version ${first & 0x7f} is not supported`);
  }
  const requiredSignatures = versioned ? reader.byte() : first;
  const readonlySigned = reader.byte();
  const readonlyUnsigned = reader.byte();
  const staticKeys = reader.list(() => reader.take(PUBLIC_KEY_BYTES));
  const blockhashOffset = reader.offset;
  const blockhash = reader.take(PUBLIC_KEY_BYTES);
  const instructions = reader.list(() => ({
    programIdIndex: reader.byte(),
    accounts: reader.bytes(),
    data: reader.bytes(),
  }));
  const lookups = versioned
    ? reader.list(() => ({
        table: reader.take(PUBLIC_KEY_BYTES),
        writable: reader.bytes(),
        readonly: reader.bytes(),
      }))
    : [];
  if (!reader.atEnd) throw malformed("unexpected bytes at the end");
  const message: WireMessage = {
    bytes,
    version: versioned ? 0 : "legacy",
    requiredSignatures,
    readonlySigned,
    readonlyUnsigned,
    staticKeys,
    blockhash,
    blockhashOffset,
    instructions,
    lookups,
  };
  sanitize(message);
  return message;
}

/** The same transaction with another blockhash. Its signatures are not valid for it. */
export function withBlockhash(tx: WireTransaction, blockhash: Uint8Array): WireTransaction {
  const bytes = Uint8Array.from(tx.bytes);
  const messageOffset = tx.bytes.length - tx.message.bytes.length;
  bytes.set(blockhash, messageOffset + tx.message.blockhashOffset);
  return parseTransaction(bytes);
}

/** The checks of agave's `sanitize` for both versions of messages. */
function sanitize(message: WireMessage): void {
  const statics = message.staticKeys.length;
  let loaded = 0;
  for (const { writable, readonly } of message.lookups) {
    if (writable.length + readonly.length === 0) throw malformed("empty address table lookup");
    loaded += writable.length + readonly.length;
  }
  if (message.requiredSignatures + message.readonlyUnsigned > statics) {
    throw malformed("the header counts more accounts than the message has");
  }
  if (message.readonlySigned >= message.requiredSignatures) {
    throw malformed("no writable signer to pay the fee");
  }
  if (statics + loaded > 256) throw malformed("more than 256 accounts");
  for (const { programIdIndex, accounts } of message.instructions) {
    if (programIdIndex === 0 || programIdIndex >= statics) {
      throw malformed("program index out of range");
    }
    if (accounts.some((index) => index >= statics + loaded)) {
      throw malformed("account index out of range");
    }
  }
}

function malformed(reason: string): MalformedTransactionError {
  return new MalformedTransactionError(reason);
}
