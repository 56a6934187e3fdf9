import { randomBytes } from "node:crypto";
import { Keypair, PublicKey } from "@solana/web3.js";
import { base58 } from "../base/base58.ts";
import type { Clock } from "../base/clock.ts";
import { generateKeypair } from "../base/native-keys.ts";
import {
  type AccountChange,
  type AddressLike,
  addressBytes,
  RENT_EXEMPT_EPOCH,
  type StoredAccount,
} from "./account.ts";
import { AccountTable } from "./account-table.ts";
import { Engine, type Execution, RENT_PER_BYTE } from "./engine.ts";
import { airdropTransaction, FAUCET_LAMPORTS } from "./faucet.ts";
import { genesisHashOf, Ledger } from "./ledger.ts";
import { isIncluded, messageHash, toLedgerRecord } from "./ledger-record.ts";
import type { ProgramBinary } from "./programs.ts";
import { type Blockhash, Slots, STATUS_CACHE_SLOTS } from "./slots.ts";
import { describeTransactionError, type TransactionError } from "./transaction-error.ts";
import { type ProcessedTransaction, type Prunable, TransactionTable } from "./transaction-table.ts";
import { SYSTEM_PROGRAM } from "./well-known.ts";
import { parseTransaction, type WireTransaction, withBlockhash } from "./wire-transaction.ts";

/** How the chain runs; all of it may change between two starts on one ledger. */
export interface ChainTerms {
  /** The length of a slot, in milliseconds; 400 by default. */
  readonly slotMs?: number;
  /** The rent of an account, in lamports per byte; 6,960 by default. */
  readonly rentPerByte?: bigint;
  /** Transactions that are kept, beside those of the last 300 slots; 0, the default, for all. */
  readonly history?: number;
}

/** `transactions` accepts them but puts none into its blocks; `blocks` makes no blocks either. */
export type Halt = "transactions" | "blocks";

export interface LocalChainOptions extends ChainTerms {
  /** The ledger's file, created if missing, or ":memory:" for a chain that is not kept. */
  readonly ledgerPath: string;
  readonly clock: Clock;
  /** Besides SPL Token, Token-2022, associated token account and memo; not in the ledger. */
  readonly programs?: readonly ProgramBinary[];
}

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

/**
 * A Solana chain in this process: LiteSVM runs the transactions, a ledger on disk keeps their
 * effects. A transaction is written before its signature is returned and before LiteSVM's memory
 * changes, so the two agree. It survives the end of the process, but not a power failure.
 */
export class LocalChain {
  readonly accounts: AccountTable;
  readonly transactions: TransactionTable;
  /** Called with the accounts that a transaction has changed, before its sender gets an answer. */
  onChange: ((changes: readonly AccountChange[]) => void) | null = null;
  readonly #ledger: Ledger;
  readonly #slots: Slots;
  readonly #engine: Engine;
  readonly #faucet: Keypair;
  readonly #history: number;
  readonly #openedAt: number;
  #isHalted = false;

  private constructor(ledger: Ledger, options: LocalChainOptions) {
    const { clock, programs, history = 0, slotMs, rentPerByte = RENT_PER_BYTE } = options;
    this.#ledger = ledger;
    this.#history = history;
    // This program made the key, and validating it would double the time of a start.
    this.#faucet = Keypair.fromSecretKey(ledger.genesis.faucet, { skipValidation: true });
    this.#slots = new Slots(clock, ledger, slotMs);
    this.#openedAt = this.#slots.advance();
    this.accounts = new AccountTable(ledger.db);
    this.transactions = new TransactionTable(ledger.db, this.#slots);
    this.#engine = new Engine(this.#slots, this.accounts, programs);
    this.#engine.setRent(rentPerByte);
    if (this.accounts.isEmpty()) this.#writeGenesis();
  }

  static open(options: LocalChainOptions): LocalChain {
    const ledger = new Ledger(options.ledgerPath, () => ({
      timeMs: options.clock.now(),
      seed: randomBytes(32),
      faucet: generateKeypair().secretKey,
    }));
    try {
      return new LocalChain(ledger, options);
    } catch (error) {
      ledger.close();
      throw error;
    }
  }

  close(): void {
    this.#ledger.close();
  }

  setSlotMs(slotMs: number): void {
    this.#slots.setSlotMs(slotMs);
  }

  /** Changes the rent, in lamports per byte. Accounts keep what they hold. */
  setRent(rentPerByte: bigint): void {
    this.#engine.setRent(rentPerByte);
  }

  /** Stops the chain in part, as in an outage or a migration; null to go on. */
  halt(halt: Halt | null): void {
    this.#slots.halt(halt === "blocks");
    this.#isHalted = halt !== null;
  }

  get residentAccounts(): number {
    return this.#engine.residents;
  }

  slot(): number {
    return this.#slots.advance();
  }

  finalizedSlot(): number {
    this.slot();
    return this.#slots.finalized;
  }

  blockHeight(slot = this.slot()): number {
    return this.#slots.heightOf(slot);
  }

  timeOf(slot: number): number {
    return this.#slots.timeOf(slot);
  }

  latestBlockhash(slot = this.slot()): Blockhash {
    return this.#slots.blockhashOf(slot);
  }

  isBlockhashValid(blockhash: string): boolean {
    this.slot();
    const bytes = base58.decode(blockhash, 32);
    return bytes !== null && this.#slots.isRecent(bytes);
  }

  genesisHash(): string {
    return genesisHashOf(this.#ledger.genesis.seed);
  }

  get faucet(): PublicKey {
    return this.#faucet.publicKey;
  }

  getAccount(address: AddressLike): StoredAccount | null {
    this.slot();
    this.#engine.syncClock();
    return this.#engine.account(addressBytes(address));
  }

  getBalance(address: AddressLike): bigint {
    return this.#engine.balance(addressBytes(address));
  }

  rentExemption(bytes: number): bigint {
    return this.#engine.rentExemption(bytes);
  }

  getTransaction(signature: string): ProcessedTransaction | null {
    return this.transactions.get(signature);
  }

  /** Writes an account without a transaction, for genesis and fixtures. */
  setAccount(address: AddressLike, init: NewAccount): void {
    const changes = [{ address: addressBytes(address), account: newAccount(init) }];
    this.#ledger.write(() => this.accounts.write(changes));
    this.#engine.apply(changes);
  }

  airdrop(address: AddressLike, lamports: bigint): string {
    const to = new PublicKey(addressBytes(address));
    const { blockhash } = this.latestBlockhash();
    const number = this.transactions.count();
    return this.sendTransaction(
      airdropTransaction(this.#faucet, { to, lamports }, { blockhash, number }),
    );
  }

  /**
   * Returns once the transaction is in the ledger. With `skipPreflight` also a failing one, which
   * then pays its fee; one that no block can hold is dropped silently.
   * @throws {MalformedTransactionError}, {TransactionRefusedError} if it would fail, without
   * `skipPreflight`
   */
  sendTransaction(bytes: Uint8Array, { skipPreflight = false } = {}): string {
    const tx = parseTransaction(bytes);
    const slot = this.#slots.advance();
    const execution = this.#engine.run(tx, true);
    const rejection = execution.error === "SignatureFailure" ? null : this.#rejection(tx);
    if (!skipPreflight) {
      if (rejection !== null) throw new TransactionRefusedError(rejection, null);
      if (execution.error !== null) throw new TransactionRefusedError(execution.error, execution);
    }
    if (!this.#isHalted && rejection === null && isIncluded(execution)) {
      const { transaction, changes } = toLedgerRecord(this.#engine, tx, execution);
      this.#ledger.write(() => {
        this.transactions.insert(transaction);
        this.transactions.prune(this.#prunable(slot));
        this.accounts.write(changes);
        this.#ledger.noteSlot(slot);
      });
      this.#engine.apply(changes);
      this.onChange?.(changes);
    }
    return tx.signature;
  }

  /**
   * Runs a transaction and changes nothing. @returns no execution if it did not run: its blockhash
   * was not valid, or it was processed before
   */
  simulateTransaction(
    bytes: Uint8Array,
    { verifySignatures = false, replaceBlockhash = false } = {},
  ) {
    const parsed = parseTransaction(bytes);
    const slot = this.#slots.advance();
    const replacement = replaceBlockhash ? this.#slots.blockhashOf(slot) : null;
    const hash = replacement === null ? null : base58.decode(replacement.blockhash, 32);
    const tx = hash === null ? parsed : withBlockhash(parsed, hash);
    const rejection = this.#rejection(tx);
    const execution = rejection === null ? this.#engine.run(tx, verifySignatures) : null;
    const error: TransactionError | null = rejection ?? execution?.error ?? null;
    return { error, execution, replacement };
  }

  /**
   * Why the chain rejects a transaction whatever it does, in the order of a node's checks (agave
   * `check_age`, then `check_status_cache`). Null if it does not.
   */
  #rejection(tx: WireTransaction): TransactionError | null {
    if (!this.#slots.isRecent(tx.message.blockhash)) return "BlockhashNotFound";
    return this.transactions.hasMessage(messageHash(tx)) ? "AlreadyProcessed" : null;
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

  #writeGenesis(): void {
    const account = newAccount({ lamports: FAUCET_LAMPORTS, owner: SYSTEM_PROGRAM });
    const faucet = { address: this.#faucet.publicKey.toBytes(), account };
    this.#ledger.write(() => this.accounts.write([...this.#engine.nativeMints(), faucet]));
  }
}

interface NewAccount {
  readonly lamports: bigint;
  readonly owner: AddressLike;
  readonly data?: Uint8Array;
}

function newAccount({ lamports, owner, data = new Uint8Array() }: NewAccount): StoredAccount {
  const rentEpoch = RENT_EXEMPT_EPOCH;
  return { lamports, owner: addressBytes(owner), data, executable: false, rentEpoch };
}
