import {
  ADDRESS_BYTES,
  ByteReader,
  type WireMessage as EarlierMessage,
  readMessage,
  SIGNATURE_BYTES,
  splitTransaction,
} from "@tokenctl/shared/wire-transaction";
import { base58 } from "../base/base58.ts";
import { bytesKey } from "./account.ts";

/** What a version 1 message requests, in agave's names and units (`UiTransactionConfig`). */
interface TransactionConfig {
  /** Lamports of the whole transaction, not a price of a compute unit. */
  readonly priorityFee: bigint | null;
  readonly computeUnitLimit: number | null;
  readonly loadedAccountsDataSizeLimit: number | null;
  readonly heapSize: number | null;
}

export interface WireMessage extends Omit<EarlierMessage, "version"> {
  readonly bytes: Uint8Array;
  readonly version: EarlierMessage["version"] | 1;
  readonly config: TransactionConfig | null;
}

export interface WireTransaction {
  readonly bytes: Uint8Array;
  readonly signatures: readonly Uint8Array[];
  /** Base58 of the first signature, which identifies the transaction. */
  readonly signature: string;
  readonly message: WireMessage;
}

export class MalformedTransactionError extends Error {
  override readonly name = "MalformedTransactionError";
  readonly code = "malformed_transaction";
}

/** The first byte of a version 1 message, and so of its transaction. */
const VERSION_1_PREFIX = 0x81;
/** The most bytes of a version 1 transaction, and the most of each in its message (SIMD-0385). */
const VERSION_1_LIMITS = { bytes: 4_096, signatures: 12, accounts: 64, instructions: 64 } as const;
/** The bits of a version 1 message's config mask (solana-message `TransactionConfigMask`). */
const CONFIG = { priorityFee: 0b11, unitLimit: 0b100, dataLimit: 0b1000, heap: 0b1_0000 } as const;
const ALL_CONFIG = 0b1_1111;
const HEAP_BYTES = { step: 1_024, min: 32 * 1_024, max: 256 * 1_024 } as const;
/** The offset of a lookup table's addresses (solana-address-lookup-table-interface `LOOKUP_TABLE_META_SIZE`). */
const TABLE_META_BYTES = 56;

/**
 * Reads any version as strictly as a node: LiteSVM's native code aborts the process on other bytes.
 * @throws {MalformedTransactionError} if the bytes are not such a transaction
 */
export function parseTransaction(bytes: Uint8Array): WireTransaction {
  return strictly(() => {
    const split = bytes[0] === VERSION_1_PREFIX ? splitVersion1 : splitTransaction;
    const { signatures, message: ofMessage } = split(bytes);
    const message = parseMessage(ofMessage);
    const first = signatures[0];
    if (first === undefined || signatures.length !== message.requiredSignatures) {
      throw new RangeError("the message requires another number of signatures");
    }
    return { bytes, signatures, signature: base58.encode(first), message };
  });
}

/** Source: solana-message `legacy`, `v0`, `v1`. @throws {MalformedTransactionError} otherwise */
export function parseMessage(bytes: Uint8Array): WireMessage {
  return strictly(() => {
    const isVersion1 = bytes[0] === VERSION_1_PREFIX;
    const message = isVersion1
      ? parseVersion1(bytes)
      : { bytes, ...readMessage(bytes), config: null };
    sanitize(message);
    return message;
  });
}

/** The same transaction with another blockhash. Its signatures are not valid for it. */
export function withBlockhash(tx: WireTransaction, blockhash: Uint8Array): WireTransaction {
  const bytes = Uint8Array.from(tx.bytes);
  const messageOffset = tx.message.bytes.byteOffset - tx.bytes.byteOffset;
  bytes.set(blockhash, messageOffset + tx.message.blockhashOffset);
  return parseTransaction(bytes);
}

export interface LoadedAddresses {
  readonly writable: readonly Uint8Array[];
  readonly readonly: readonly Uint8Array[];
}

/** The addresses that a message loads from lookup tables; missing ones are left out. */
export function loadAddresses(
  { lookups }: WireMessage,
  dataOf: (table: Uint8Array) => Uint8Array | undefined,
): LoadedAddresses {
  const load = (kind: "writable" | "readonly") =>
    lookups.flatMap((lookup) => {
      const data = dataOf(lookup.table)?.subarray(TABLE_META_BYTES) ?? new Uint8Array();
      const indexes = [...lookup[kind]].filter(
        (index) => ADDRESS_BYTES * (index + 1) <= data.length,
      );
      return indexes.map((index) =>
        data.subarray(ADDRESS_BYTES * index, ADDRESS_BYTES * (index + 1)),
      );
    });
  return { writable: load("writable"), readonly: load("readonly") };
}

/** Version 1: the signatures follow the message, without a count of their own. */
function splitVersion1(bytes: Uint8Array) {
  const { length } = bytes;
  const most = VERSION_1_LIMITS.bytes;
  if (length > most) {
    throw new RangeError(`transaction too large: ${length} bytes (max: ${most} bytes)`);
  }
  const count = bytes[1] ?? 0;
  const reader = new ByteReader(bytes);
  const message = reader.take(Math.max(length - count * SIGNATURE_BYTES, 0));
  return { message, signatures: times(count, () => reader.take(SIGNATURE_BYTES)) };
}

function parseVersion1(bytes: Uint8Array): WireMessage {
  const reader = new ByteReader(bytes);
  reader.byte();
  const header = {
    requiredSignatures: reader.byte(),
    readonlySigned: reader.byte(),
    readonlyUnsigned: reader.byte(),
  };
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
  reader.end();
  if (
    header.requiredSignatures > VERSION_1_LIMITS.signatures ||
    counts.accounts > VERSION_1_LIMITS.accounts ||
    counts.instructions > VERSION_1_LIMITS.instructions
  ) {
    throw new RangeError("more signatures, accounts or instructions than version 1 allows");
  }
  if (new Set(staticKeys.map(bytesKey)).size < counts.accounts) {
    throw new RangeError("repeated account");
  }
  const parts = { ...header, staticKeys, blockhash, blockhashOffset, instructions };
  return { bytes, version: 1, ...parts, lookups: [], config };
}

function configOf(reader: ByteReader, mask: number): TransactionConfig {
  const fee = mask & CONFIG.priorityFee;
  if ((mask & ~ALL_CONFIG) !== 0 || (fee !== 0 && fee !== CONFIG.priorityFee)) {
    throw new RangeError("unknown bits in the config mask");
  }
  const value = (bit: number) => ((mask & bit) === 0 ? null : Number(reader.uint(4)));
  const config = {
    priorityFee: fee === 0 ? null : reader.uint(8),
    computeUnitLimit: value(CONFIG.unitLimit),
    loadedAccountsDataSizeLimit: value(CONFIG.dataLimit),
    heapSize: value(CONFIG.heap),
  };
  const heap = config.heapSize ?? HEAP_BYTES.min;
  if (heap % HEAP_BYTES.step !== 0 || heap < HEAP_BYTES.min || heap > HEAP_BYTES.max) {
    throw new RangeError("heap size out of range");
  }
  return config;
}

/** The checks of agave's `sanitize` for all versions of messages. */
function sanitize(message: WireMessage): void {
  const statics = message.staticKeys.length;
  let keys = statics;
  for (const { writable, readonly } of message.lookups) {
    if (writable.length + readonly.length === 0) throw new RangeError("empty address table lookup");
    keys += writable.length + readonly.length;
  }
  if (message.requiredSignatures + message.readonlyUnsigned > statics) {
    throw new RangeError("the header counts more accounts than the message has");
  }
  if (message.readonlySigned >= message.requiredSignatures) {
    throw new RangeError("no writable signer to pay the fee");
  }
  if (keys > 256) throw new RangeError("more than 256 accounts");
  for (const { programIdIndex, accounts } of message.instructions) {
    if (programIdIndex === 0 || programIdIndex >= statics) {
      throw new RangeError("program index out of range");
    }
    if (accounts.some((index) => index >= keys)) throw new RangeError("account index out of range");
  }
}

function times<Item>(count: number, item: () => Item): Item[] {
  return Array.from({ length: count }, item);
}

function strictly<Read>(read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    throw error instanceof RangeError ? new MalformedTransactionError(error.message) : error;
  }
}
