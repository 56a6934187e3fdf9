/*
 * Solana's wire format, for the client before it signs, the server before it sends, and the sandbox's chain.
 * Only the canonical form is accepted, because other readers could interpret anything else differently.
 * Results are views of the given bytes. Source: Solana's `legacy::Message`, `v0::Message` and `short_vec`.
 */
import { limits } from "./limits.ts";

export const SIGNATURE_BYTES = 64;
/** Bytes of an address and of a blockhash. */
export const ADDRESS_BYTES = 32;

/** Set in the first byte of a versioned message. */
const VERSION_BIT = 0x80;

/** An instruction, whose accounts are indices of the message's list of addresses. */
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
  readonly version: "legacy" | 0;
  readonly requiredSignatures: number;
  readonly readonlySigned: number;
  readonly readonlyUnsigned: number;
  /** The fee payer comes first. */
  readonly staticKeys: readonly Uint8Array[];
  readonly blockhash: Uint8Array;
  /** Where in the message the blockhash starts. */
  readonly blockhashOffset: number;
  readonly instructions: readonly WireInstruction[];
  /** Only in version 0. */
  readonly lookups: readonly AddressTableLookup[];
}

/** @throws {RangeError} if the bytes are not a canonical message, legacy or of version 0 */
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

export interface SplitTransaction {
  /** 64 bytes each, in the order of the message's signers; all zero if not signed yet. */
  readonly signatures: readonly Uint8Array[];
  /** The bytes that a signature covers. */
  readonly message: Uint8Array;
}

/** Does not read the message. @throws {RangeError} if it is too long, has no signature, or ends too early */
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

/** Reads the fields of the wire format in order. Each method throws a `RangeError`. */
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

  /** A little-endian unsigned integer. */
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

  /** Seven bits per byte, the lowest first; the eighth is set if another byte follows, up to three bytes. */
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
  return new RangeError("it is not in the canonical form");
}
