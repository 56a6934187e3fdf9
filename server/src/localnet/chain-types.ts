import type { Clock } from "../base/clock.ts";
import type { AddressLike } from "./address.ts";
import type { Execution } from "./engine.ts";
import type { ProgramBinary } from "./programs.ts";
import type { Blockhash } from "./slots.ts";
import type { TransactionError } from "./transaction-error.ts";
import type { TransactionMeta } from "./transaction-meta.ts";

/** How the chain runs; all of it may change between two starts on one ledger. */
export interface ChainTerms {
  /** The length of a slot, in milliseconds; 400 by default. */
  readonly slotMs?: number;
  /** The rent of an account, in lamports per byte; 6,960 by default. */
  readonly rentPerByte?: bigint;
  /**
   * How many of the latest transactions are kept; 0, the default, keeps all. All of the last 300
   * slots are kept in any case.
   */
  readonly history?: number;
}

/**
 * What the chain does not do: `transactions` accepts transactions but puts none into its blocks,
 * `blocks` makes no blocks either.
 */
export type Halt = "transactions" | "blocks";

export interface LocalChainOptions extends ChainTerms {
  /** The ledger's file, created if missing, or ":memory:" for a chain that is not kept. */
  readonly ledgerPath: string;
  readonly clock: Clock;
  /**
   * Programs beside SPL Token, Token-2022, associated token account and memo. The ledger does not
   * keep them.
   */
  readonly programs?: readonly ProgramBinary[];
}

/** An account to write with `LocalChain.setAccount`. */
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
  /** The bytes that the ledger keeps for both. */
  readonly size: number;
}

/** The outcome of a transaction. */
export interface SignatureStatus {
  readonly slot: number;
  readonly error: TransactionError | null;
  /** Whether its slot is 32 or more behind the current one. Before that it is confirmed. */
  readonly finalized: boolean;
}

export interface SendOptions {
  /**
   * Accepts a failing transaction too: it gets into a block, fails and pays its fee. One that no
   * block can hold, for example with an expired blockhash, is dropped silently.
   */
  readonly skipPreflight?: boolean;
}

export interface SimulateOptions {
  /** False by default, as in the RPC. */
  readonly verifySignatures?: boolean;
  /** Runs it with the latest blockhash instead of its own. */
  readonly replaceBlockhash?: boolean;
}

/** What a simulation returns; the name is agave's (`bank::TransactionSimulationResult`). */
export interface TransactionSimulationResult {
  readonly error: TransactionError | null;
  /** Null if it did not run: its blockhash was not valid, or it was processed before. */
  readonly execution: Execution | null;
  /** The blockhash that replaced its own, or null. */
  readonly replacement: Blockhash | null;
}
