import { base58 } from "../base/base58.ts";
import type { AccountTable } from "./account-table.ts";
import type { SendOptions, SimulateOptions, TransactionSimulationResult } from "./chain-types.ts";
import type { Engine, Execution } from "./engine.ts";
import type { Ledger } from "./ledger.ts";
import { isIncluded, messageHash, toLedgerRecord } from "./ledger-record.ts";
import { type Slots, STATUS_CACHE_SLOTS } from "./slots.ts";
import { describeTransactionError, type TransactionError } from "./transaction-error.ts";
import type { Prunable, TransactionTable } from "./transaction-table.ts";
import { parseTransaction, type WireTransaction, withBlockhash } from "./wire-transaction.ts";

/** The chain does not accept a transaction: its check or its simulation failed. */
export class TransactionRefusedError extends Error {
  override readonly name = "TransactionRefusedError";
  readonly code = "transaction_refused";

  constructor(
    readonly error: TransactionError,
    /** The simulation; null if the transaction did not run. */
    readonly execution: Execution | null,
  ) {
    super(describeTransactionError(error));
  }
}

interface Parts {
  readonly ledger: Ledger;
  readonly slots: Slots;
  readonly engine: Engine;
  readonly accounts: AccountTable;
  readonly transactions: TransactionTable;
}

/** Executes transactions. Effects go to the ledger first, then to the engine's memory. */
export class TransactionProcessor {
  readonly #parts: Parts;
  readonly #history: number;
  /** Whether transactions are accepted but get into no block. */
  isHalted = false;
  /** The slot in which the chain was opened. */
  readonly #openedAt: number;

  /** @param history how many transactions are kept; 0 keeps all */
  constructor(parts: Parts, history: number) {
    this.#parts = parts;
    this.#history = history;
    this.#openedAt = parts.slots.current;
  }

  /** As in `LocalChain.sendTransaction`. */
  send(bytes: Uint8Array, options: SendOptions): string {
    const { ledger, slots, engine, accounts, transactions } = this.#parts;
    const tx = parseTransaction(bytes);
    const slot = slots.advance();
    const execution = engine.run(tx, true);
    const rejection = execution.error === "SignatureFailure" ? null : this.#rejection(tx);
    if (options.skipPreflight !== true) {
      if (rejection !== null) throw new TransactionRefusedError(rejection, null);
      if (execution.error !== null) throw new TransactionRefusedError(execution.error, execution);
    }
    if (!this.isHalted && rejection === null && isIncluded(execution)) {
      const { transaction, changes } = toLedgerRecord(engine, tx, execution, slot);
      const prunable = this.#prunable(slot);
      ledger.write(() => {
        transactions.insert(transaction);
        if (prunable !== null) transactions.prune(prunable);
        accounts.write(changes);
        ledger.noteSlot(slot);
      });
      engine.apply(changes);
    }
    return tx.signature;
  }

  /** As in `LocalChain.simulateTransaction`. */
  simulate(bytes: Uint8Array, options: SimulateOptions): TransactionSimulationResult {
    const parsed = parseTransaction(bytes);
    const { slots, engine } = this.#parts;
    const slot = slots.advance();
    const replacement = options.replaceBlockhash === true ? slots.blockhashOf(slot) : null;
    const hash = replacement === null ? null : base58.decode(replacement.blockhash, 32);
    const tx = hash === null ? parsed : withBlockhash(parsed, hash);
    const rejection = this.#rejection(tx);
    const execution = rejection === null ? engine.run(tx, options.verifySignatures === true) : null;
    return { error: rejection ?? execution?.error ?? null, execution, replacement };
  }

  /**
   * Why the chain rejects a transaction whatever it does, in the order of a node's checks (agave
   * `check_age`, then `check_status_cache`). Null if it does not.
   */
  #rejection(tx: WireTransaction): TransactionError | null {
    const { slots, transactions } = this.#parts;
    if (!slots.isRecent(tx.message.blockhash)) return "BlockhashNotFound";
    return transactions.hasMessage(messageHash(tx)) ? "AlreadyProcessed" : null;
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
