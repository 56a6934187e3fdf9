import type { WireMessage as EarlierMessage } from "@tokenctl/shared/wire-transaction";

/** What a version 1 message requests, in agave's names and units (`UiTransactionConfig`). */
export interface TransactionConfig {
  /** Lamports of the whole transaction, not a price of a compute unit. */
  readonly priorityFee: bigint | null;
  readonly computeUnitLimit: number | null;
  readonly loadedAccountsDataSizeLimit: number | null;
  readonly heapSize: number | null;
}

/** A message of any version. */
export interface WireMessage extends Omit<EarlierMessage, "version"> {
  readonly bytes: Uint8Array;
  readonly version: EarlierMessage["version"] | 1;
  /** Only version 1 has it. */
  readonly config: TransactionConfig | null;
}

/** The bytes are no transaction that a node accepts. */
export class MalformedTransactionError extends Error {
  override readonly name = "MalformedTransactionError";
  readonly code = "malformed_transaction";
}

export function malformed(reason: string): MalformedTransactionError {
  return new MalformedTransactionError(reason);
}

/** @throws {MalformedTransactionError} if the bytes are not in the wire format */
export function strictly<Read>(read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    throw error instanceof RangeError ? malformed(error.message) : error;
  }
}
