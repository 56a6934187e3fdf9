import type { Clock } from "../base/clock.ts";
import type { AddressLike } from "./address.ts";
import type { Execution } from "./engine.ts";
import type { ProgramBinary } from "./programs.ts";
import type { Blockhash } from "./slots.ts";
import type { TransactionError } from "./transaction-error.ts";
import type { TransactionMeta } from "./transaction-meta.ts";

export interface LocalChainOptions {
  /** The ledger's file, made when missing, or ":memory:" for a chain that is not kept. */
  readonly ledgerPath: string;
  readonly clock: Clock;
  /** Programs beside SPL Token, Token-2022, associated token account and memo. Not in the ledger. */
  readonly programs?: readonly ProgramBinary[];
  /**
   * How many of the latest transactions are kept; 0, as by default, for all. Those of the last 300
   * slots are kept however many they are.
   */
  readonly history?: number;
}

/** An account as given to `LocalChain.setAccount`. */
export interface AccountInit {
  readonly lamports: bigint;
  readonly owner: AddressLike;
  readonly data?: Uint8Array;
}

/** A processed transaction in the history of an account. */
export interface HistoryEntry extends SignatureStatus {
  readonly signature: string;
  /** Seconds since the Unix epoch. */
  readonly blockTime: number;
}

/** A processed transaction. */
export interface ProcessedTransaction extends HistoryEntry {
  readonly bytes: Uint8Array;
  readonly meta: TransactionMeta;
  /** Bytes of both as they are kept. */
  readonly size: number;
}

/** What became of a transaction. */
export interface SignatureStatus {
  readonly slot: number;
  readonly error: TransactionError | null;
  /** Whether it is final: 32 slots behind the current one. Before that it is confirmed. */
  readonly finalized: boolean;
}

export interface SimulationReport {
  readonly error: TransactionError | null;
  /** What running it gave; null when it was not run, for its blockhash or as a duplicate. */
  readonly execution: Execution | null;
  /** The blockhash it was run with instead of its own. */
  readonly replacement: Blockhash | null;
}
