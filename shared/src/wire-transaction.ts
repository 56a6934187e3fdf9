/*
 * Solana's wire format, for the client before it signs, the server before it sends, and the
 * sandbox's chain. Accepts only the canonical form, because other readers could interpret any other
 * form differently. Results are views of the given bytes. Source: Solana's `legacy::Message`,
 * `v0::Message`, `v1::Message` (SIMD-0385) and `short_vec`.
 */
import { limits } from "./limits.ts";

export const SIGNATURE_BYTES = 64;
/** Bytes of an address and of a blockhash. */
export const ADDRESS_BYTES = 32;

const VERSION_BIT = 0x80;
/** The first byte of a version 1 message, and so of its transaction. */
const VERSION_1_PREFIX = 0x81;
export const HIGHEST_VERSION = 1;
/** The bits of a version 1 message's config mask (solana-message `TransactionConfigMask`). */
const CONFIG_BITS = {
  priorityFee: 0b11,
  computeUnitLimit: 0b100,
  loadedAccountsDataSizeLimit: 0b1000,
  heapSize: 0b1_0000,
} as const;
const ALL_CONFIG_BITS = 0b1_1111;

/** An instruction. Its accounts are indices into the message's addresses. */
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

/** A version 1 message's runtime settings, with agave's names and units (`UiTransactionConfig`). */
export interface TransactionConfig {
  /** Lamports for the whole transaction, not per compute unit. */
  readonly priorityFee: bigint | null;
  readonly computeUnitLimit: number | null;
  readonly loadedAccountsDataSizeLimit: number | null;
  readonly heapSize: number | null;
}

export interface WireMessage {
  readonly bytes: Uint8Array;
  readonly version: "legacy" | 0 | 1;
  readonly requiredSignatures: number;
  readonly readonlySigned: number;
  readonly readonlyUnsigned: number;
  /** The fee payer comes first. */
  readonly staticKeys: readonly Uint8Array[];
  readonly blockhash: Uint8Array;
  readonly blockhashOffset: number;
  readonly instructions: readonly WireInstruction[];
  readonly lookups: readonly AddressTableLookup[];
  readonly config: TransactionConfig | null;
}

/** @throws {RangeError} if the bytes are not a canonical message of a supported version */
export function readMessage(bytes: Uint8Array): WireMessage {
  const reader = new ByteReader(bytes);
  const first = reader.byte();
  const isVersioned = (first & VERSION_BIT) !== 0;
  const version = first & ~VERSION_BIT;
  if (isVersioned && version > HIGHEST_VERSION) {
    throw new RangeError(`transaction version ${version} is not supported`);
  }
  const header = {
    requiredSignatures: isVersioned ? reader.byte() : first,
    readonlySigned: reader.byte(),
    readonlyUnsigned: reader.byte(),
  };
  const message =
    first === VERSION_1_PREFIX
      ? { version: 1 as const, ...bodyOfVersion1(reader) }
      : { version: isVersioned ? (0 as const) : ("legacy" as const), ...body(reader, isVersioned) };
  reader.end();
  return { bytes, ...header, ...message };
}

function body(reader: ByteReader, isVersioned: boolean) {
  return {
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
    config: null,
  };
}

function bodyOfVersion1(reader: ByteReader) {
  const mask = Number(reader.uint(4));
  const blockhashOffset = reader.offset;
  const blockhash = reader.take(ADDRESS_BYTES);
  const counts = { instructions: reader.byte(), accounts: reader.byte() };
  const staticKeys = times(counts.accounts, () => reader.take(ADDRESS_BYTES));
  const config = configOf(reader, mask);
  const sizes = times(counts.instructions, () => ({
    programIdIndex: reader.byte(),
    accounts: reader.byte(),
    data: Number(reader.uint(2)),
  }));
  const instructions = sizes.map(({ programIdIndex, accounts, data }) => ({
    programIdIndex,
    accounts: reader.take(accounts),
    data: reader.take(data),
  }));
  return { blockhashOffset, blockhash, staticKeys, config, instructions, lookups: [] };
}

function configOf(reader: ByteReader, mask: number): TransactionConfig {
  const fee = mask & CONFIG_BITS.priorityFee;
  if ((mask & ~ALL_CONFIG_BITS) !== 0 || (fee !== 0 && fee !== CONFIG_BITS.priorityFee)) {
    throw new RangeError("unknown bits in the config mask");
  }
  const value = (bit: number) => ((mask & bit) === 0 ? null : Number(reader.uint(4)));
  return {
    priorityFee: fee === 0 ? null : reader.uint(8),
    computeUnitLimit: value(CONFIG_BITS.computeUnitLimit),
    loadedAccountsDataSizeLimit: value(CONFIG_BITS.loadedAccountsDataSizeLimit),
    heapSize: value(CONFIG_BITS.heapSize),
  };
}

/** Returns the bytes of a version 1 message, which {@link readMessage} can read. */
export function writeVersion1(
  message: Pick<
    WireMessage,
    | "requiredSignatures"
    | "readonlySigned"
    | "readonlyUnsigned"
    | "staticKeys"
    | "blockhash"
    | "instructions"
    | "config"
  >,
): Uint8Array {
  const { requiredSignatures, readonlySigned, readonlyUnsigned } = message;
  const { staticKeys, blockhash, instructions } = message;
  const fields = Object.entries(CONFIG_BITS).map(([field, bits]) => {
    const value = message.config?.[field as keyof TransactionConfig] ?? null;
    const bytes = field === "priorityFee" ? 8 : 4;
    return value === null ? { bits: 0, value: [] } : { bits, value: littleEndian(value, bytes) };
  });
  return Uint8Array.from([
    ...[VERSION_1_PREFIX, requiredSignatures, readonlySigned, readonlyUnsigned],
    ...littleEndian(
      fields.reduce((mask, { bits }) => mask | bits, 0),
      4,
    ),
    ...blockhash,
    ...[instructions.length, staticKeys.length],
    ...staticKeys.flatMap((key) => [...key]),
    ...fields.flatMap(({ value }) => value),
    ...instructions.flatMap(({ programIdIndex, accounts, data }) => [
      programIdIndex,
      accounts.length,
      ...littleEndian(data.length, 2),
    ]),
    ...instructions.flatMap(({ accounts, data }) => [...accounts, ...data]),
  ]);
}

function littleEndian(value: number | bigint, bytes: number): number[] {
  return times(bytes, () => 0).map((_, place) =>
    Number((BigInt(value) >> BigInt(8 * place)) & 0xffn),
  );
}

function times<Item>(count: number, item: () => Item): Item[] {
  return Array.from({ length: count }, item);
}

export interface SplitTransaction {
  /** 64 bytes each, in the order of the message's signers; all zero if not signed yet. */
  readonly signatures: readonly Uint8Array[];
  readonly message: Uint8Array;
}

/** Does not read the message. @throws {RangeError} if it is too long, unsigned or incomplete */
export function splitTransaction(transaction: Uint8Array): SplitTransaction {
  const isVersion1 = transaction[0] === VERSION_1_PREFIX;
  const { bytes: most } = isVersion1 ? limits.transactionOfVersion1 : limits.transaction;
  if (transaction.length > most) {
    throw new RangeError(`transaction too large: ${transaction.length} bytes, more than ${most}`);
  }
  const reader = new ByteReader(transaction);
  const signature = () => reader.take(SIGNATURE_BYTES);
  if (isVersion1) {
    // In version 1 the signatures follow the message, without a count of their own.
    const count = transaction[1] ?? 0;
    const message = reader.take(Math.max(transaction.length - count * SIGNATURE_BYTES, 0));
    return requireParts({ message, signatures: times(count, signature) }, reader);
  }
  const signatures = transaction.length === 0 ? [] : reader.list(signature);
  const message = reader.rest();
  if (message[0] === VERSION_1_PREFIX) throw notCanonical();
  return requireParts({ signatures, message }, reader);
}

function requireParts(parts: SplitTransaction, reader: ByteReader): SplitTransaction {
  if (parts.signatures.length === 0) throw new RangeError("the transaction has 0 signatures");
  if (parts.message.length === 0) throw reader.tooShort();
  return parts;
}

/** Joins the parts that {@link splitTransaction} returns; at most 127 signatures. */
export function joinTransaction({ signatures, message }: SplitTransaction): Uint8Array {
  const parts =
    message[0] === VERSION_1_PREFIX
      ? [message, ...signatures]
      : [Uint8Array.of(signatures.length), ...signatures, message];
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

/** Returns the number of signatures that a message requires. @throws {RangeError} if incomplete */
export function requiredSignatures(message: Uint8Array): number {
  const reader = new ByteReader(message);
  const first = reader.byte();
  return (first & VERSION_BIT) === 0 ? first : reader.byte();
}

/** Reads the wire format's fields in order. Each method throws a `RangeError` on failure. */
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

  uint(count: number): bigint {
    return this.take(count).reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
  }

  bytes(): Uint8Array {
    return this.take(this.#length());
  }

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

  /** Reads 7 bits per byte, lowest first. The 8th bit announces another byte, of at most three. */
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
