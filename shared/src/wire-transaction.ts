/*
 * Solana's wire format, read by the client before it signs, by the server before it sends, and by the
 * sandbox's chain. Only the canonical form is read, because another reader could read anything
 * else differently. What is read is a view of the given bytes. Source: Solana's `legacy::Message`,
 * `v0::Message` and `short_vec`.
 */
import { limits } from "./limits.ts";

/** Bytes of an Ed25519 signature. */
export const SIGNATURE_BYTES = 64;
/** Bytes of an address and of a blockhash. */
export const ADDRESS_BYTES = 32;

/** Set in the first byte of a versioned message; the other bits are the version. */
const VERSION_BIT = 0x80;

/** One instruction, with its accounts as places in the message's list of addresses. */
export interface WireInstruction {
  readonly programIdIndex: number;
  readonly accounts: Uint8Array;
  readonly data: Uint8Array;
}

/** Accounts that a message takes from a table on the chain. */
interface AddressTableLookup {
  readonly table: Uint8Array;
  readonly writable: Uint8Array;
  readonly readonly: Uint8Array;
}

/** A legacy message, or one of version 0. */
export interface WireMessage {
  readonly version: "legacy" | 0;
  readonly requiredSignatures: number;
  readonly readonlySigned: number;
  readonly readonlyUnsigned: number;
  /** The fee payer is the first. */
  readonly staticKeys: readonly Uint8Array[];
  readonly blockhash: Uint8Array;
  /** Where in the message the blockhash starts. */
  readonly blockhashOffset: number;
  readonly instructions: readonly WireInstruction[];
  /** Only version 0 has them. */
  readonly lookups: readonly AddressTableLookup[];
}

/**
 * @throws {RangeError} if the bytes are no legacy message and none of version 0: they end too early, go
 * on after the end, or write a length in more bytes than it needs
 */
export function readMessage(bytes: Uint8Array): WireMessage {
  const reader = new ByteReader(bytes);
  const first = reader.byte();
  const isVersioned = (first & VERSION_BIT) !== 0;
  if (isVersioned && first !== VERSION_BIT) {
    throw new RangeError(`transaction version ${first & ~VERSION_BIT} is not supported`);
  }
  const message: WireMessage = {
    version: isVersioned ? 0 : "legacy",
    requiredSignatures: isVersioned ? reader.byte() : first,
    readonlySigned: reader.byte(),
    readonlyUnsigned: reader.byte(),
    staticKeys: reader.list(() => reader.take(ADDRESS_BYTES)),
    blockhashOffset: reader.offset,
    blockhash: reader.take(ADDRESS_BYTES),
    instructions: reader.list(() => ({
      programIdIndex: reader.byte(),
      accounts: reader.bytes(),
      data: reader.bytes(),
    })),
    lookups: isVersioned
      ? reader.list(() => ({
          table: reader.take(ADDRESS_BYTES),
          writable: reader.bytes(),
          readonly: reader.bytes(),
        }))
      : [],
  };
  reader.end();
  return message;
}

/** A transaction's parts. */
export interface SplitTransaction {
  /** 64 bytes each, in the order of the message's signers; all zero if not signed yet. */
  readonly signatures: readonly Uint8Array[];
  /** What a signature covers. */
  readonly message: Uint8Array;
}

/**
 * Splits a transaction with a legacy message, or one of version 0. The message is not read.
 *
 * @throws {RangeError} if it is too long, has no signature, or ends before its message
 */
export function splitTransaction(transaction: Uint8Array): SplitTransaction {
  const most = limits.transaction.bytes;
  if (transaction.length > most) {
    throw new RangeError(`transaction too large: ${transaction.length} bytes, more than ${most}`);
  }
  const reader = new ByteReader(transaction);
  const isEmpty = transaction.length === 0;
  const signatures = isEmpty ? [] : reader.list(() => reader.take(SIGNATURE_BYTES));
  if (signatures.length === 0) throw new RangeError("the transaction has 0 signatures");
  const message = reader.rest();
  if (message.length === 0) throw reader.tooShort();
  return { signatures, message };
}

/** Reads the fields of the wire format one after the other. Each method throws a `RangeError`. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get offset(): number {
    return this.#offset;
  }

  byte(): number {
    return this.take(1)[0] as number;
  }

  take(count: number): Uint8Array {
    const end = this.#offset + count;
    if (end > this.#bytes.length) throw this.tooShort();
    const taken = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    return taken;
  }

  /** An unsigned integer of this many bytes, the lowest first. */
  uint(count: number): bigint {
    return this.take(count).reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
  }

  /** A length, then that many bytes. */
  bytes(): Uint8Array {
    return this.take(this.#length());
  }

  /** A length, then that many items. */
  list<Item>(item: () => Item): Item[] {
    return Array.from({ length: this.#length() }, item);
  }

  rest(): Uint8Array {
    return this.take(this.#bytes.length - this.#offset);
  }

  end(): void {
    if (this.#offset < this.#bytes.length) throw notCanonical();
  }

  tooShort(): RangeError {
    return new RangeError(`it ends after ${this.#bytes.length} bytes`);
  }

  /** Seven bits a byte, the lowest first, the eighth set if another byte follows: at most three bytes. */
  #length(): number {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      length |= (byte & 0x7f) << shift;
      const isLast = byte < 0x80;
      if (isLast && byte === 0 && shift > 0) throw notCanonical();
      if (isLast && length <= 0xffff) return length;
      if (isLast || shift === 14) throw new RangeError("it has a length of more than 65535");
    }
  }
}

function notCanonical(): RangeError {
  return new RangeError("its bytes are not the canonical form of what they say");
}
