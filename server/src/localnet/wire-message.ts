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

/** What a version 1 message requests, in agave's names and units (`UiTransactionConfig`). */
export interface TransactionConfig {
  /** Lamports of the whole transaction, not a price of a compute unit. */
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
  readonly staticKeys: readonly Uint8Array[];
  readonly blockhash: Uint8Array;
  /** Where in `bytes` the blockhash starts. */
  readonly blockhashOffset: number;
  readonly instructions: readonly WireInstruction[];
  /** Only version 0 has them. */
  readonly lookups: readonly AddressTableLookup[];
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
