import { base58 } from "../base/base58.ts";
import type { SendOptions, SimulateOptions, TransactionSimulationResult } from "./chain-types.ts";
import type { Engine } from "./engine.ts";
import type { Ledger } from "./ledger.ts";
import { isIncluded, messageHash, toLedgerRecord } from "./ledger-record.ts";
import { type Slots, STATUS_CACHE_SLOTS } from "./slots.ts";
import type { TransactionError } from "./transaction-error.ts";
import { TransactionRefusedError } from "./transaction-refused.ts";
import type { Prunable } from "./transaction-table.ts";
import { parseTransaction, type WireTransaction, withBlockhash } from "./wire-transaction.ts";

export interface TransactionProcessorOptions {
  readonly ledger: Ledger;
  readonly slots: Slots;
  readonly engine: Engine;
  /** How many transactions are kept; 0 keeps all. */
  readonly history: number;
}

/** Executes transactions. Effects go to the ledger first, then to the engine's memory. */
export class TransactionProcessor {
  readonly #ledger: Ledger;
  readonly #slots: Slots;
  readonly #engine: Engine;
  readonly #history: number;
  /** Whether transactions are accepted but get into no block. */
  isHalted = false;
  /** The slot in which the chain was opened. */
  readonly #openedAt: number;

  constructor({ ledger, slots, engine, history }: TransactionProcessorOptions) {
    this.#ledger = ledger;
    this.#slots = slots;
    this.#engine = engine;
    this.#history = history;
    this.#openedAt = slots.current;
  }

  /** As in `LocalChain.sendTransaction`. */
  send(bytes: Uint8Array, options: SendOptions): string {
    const tx = parseTransaction(bytes);
    const slot = this.#slots.advance();
    const execution = this.#engine.run(tx, true);
    const rejection = execution.error === "SignatureFailure" ? null : this.#rejection(tx);
    if (options.skipPreflight !== true) {
      if (rejection !== null) throw new TransactionRefusedError(rejection, null);
      if (execution.error !== null) throw new TransactionRefusedError(execution.error, execution);
    }
    if (!this.isHalted && rejection === null && isIncluded(execution)) {
      const { transaction, changes } = toLedgerRecord(this.#engine, tx, execution, slot);
      this.#ledger.commit(transaction, changes, this.#prunable(slot));
      this.#engine.apply(changes);
    }
    return tx.signature;
  }

  /** As in `LocalChain.simulateTransaction`. */
  simulate(bytes: Uint8Array, options: SimulateOptions): TransactionSimulationResult {
    const parsed = parseTransaction(bytes);
    const slot = this.#slots.advance();
    const replacement = options.replaceBlockhash === true ? this.#slots.blockhashOf(slot) : null;
    const hash = replacement === null ? null : base58.decode(replacement.blockhash, 32);
    const tx = hash === null ? parsed : withBlockhash(parsed, hash);
    const rejection = this.#rejection(tx);
    const execution =
      rejection === null ? this.#engine.run(tx, options.verifySignatures === true) : null;
    return { error: rejection ?? execution?.error ?? null, execution, replacement };
  }

  /**
   * Why the chain rejects a transaction whatever it does, in the order of a node's checks (agave
   * `check_age`, then `check_status_cache`). Null if it does not.
   */
  #rejection(tx: WireTransaction): TransactionError | null {
    if (!this.#slots.isRecent(tx.message.blockhash)) return "BlockhashNotFound";
    return this.#ledger.transactions.hasMessage(messageHash(tx)) ? "AlreadyProcessed" : null;
  }

  /**
   * Transactions stay for {@link STATUS_CACHE_SLOTS}, whatever the limit. That is twice as long as
   * a blockhash is valid, so no transaction can be processed twice. In the same time after the
   * start nothing is pruned, because senders may still ask for their outcomes.
   */
  #prunable(slot: number): Prunable | null {
    if (this.#history === 0 || slot - this.#openedAt <= STATUS_CACHE_SLOTS) return null;
    return { keep: this.#history, fromSlot: slot - STATUS_CACHE_SLOTS };
  }
}
