import { ADDRESS_BYTES, ByteReader, readMessage } from "@tokenctl/shared/wire-transaction";
import { bytesKey } from "./bytes.ts";
import { malformed, strictly, type TransactionConfig, type WireMessage } from "./wire-message.ts";

/** The first byte of a version 1 message, and so of its transaction. */
export const VERSION_1_PREFIX = 0x81;

/** The most of each in a version 1 message (SIMD-0385). */
const VERSION_1_LIMITS = { signatures: 12, accounts: 64, instructions: 64 } as const;
/** The bits of a version 1 message's config mask (solana-message `TransactionConfigMask`). */
const CONFIG = { priorityFee: 0b11, unitLimit: 0b100, dataLimit: 0b1000, heap: 0b1_0000 } as const;
const ALL_CONFIG = 0b1_1111;
const HEAP_BYTES = { step: 1_024, min: 32 * 1_024, max: 256 * 1_024 } as const;

/**
 * Reads a message of any version (solana-message `legacy::Message`, `v0::Message`, `v1::Message`).
 *
 * @throws {MalformedTransactionError} if the bytes are no such message
 */
export function parseMessage(bytes: Uint8Array): WireMessage {
  const message = strictly(() =>
    bytes[0] === VERSION_1_PREFIX
      ? parseVersion1(bytes)
      : { bytes, ...readMessage(bytes), config: null },
  );
  sanitize(message);
  return message;
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
    throw malformed("more signatures, accounts or instructions than version 1 allows");
  }
  if (new Set(staticKeys.map(bytesKey)).size < counts.accounts) throw malformed("repeated account");
  return {
    bytes,
    version: 1,
    ...header,
    staticKeys,
    blockhash,
    blockhashOffset,
    instructions,
    lookups: [],
    config,
  };
}

function configOf(reader: ByteReader, mask: number): TransactionConfig {
  const fee = mask & CONFIG.priorityFee;
  if ((mask & ~ALL_CONFIG) !== 0 || (fee !== 0 && fee !== CONFIG.priorityFee)) {
    throw malformed("unknown bits in the config mask");
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
    throw malformed("heap size out of range");
  }
  return config;
}

/** The checks of agave's `sanitize` for all versions of messages. */
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

function times<Item>(count: number, item: () => Item): Item[] {
  return Array.from({ length: count }, item);
}
