import { randomBytes } from "node:crypto";
import { Keypair, PublicKey } from "@solana/web3.js";
import { base58, SIGNATURE_BYTES } from "../base/base58.ts";
import { type AccountChange, RENT_EXEMPT_EPOCH, type StoredAccount } from "./account.ts";
import { type AddressLike, addressBytes } from "./address.ts";
import type {
  AccountInit,
  HistoryEntry,
  LocalChainOptions,
  ProcessedTransaction,
  SignatureStatus,
  SimulationReport,
} from "./chain-types.ts";
import { Engine } from "./engine.ts";
import { parseExact } from "./exact-json.ts";
import { airdropTransaction, faucetAccount } from "./faucet.ts";
import { feeOf } from "./fee.ts";
import { genesisHashOf } from "./genesis-hash.ts";
import { Ledger } from "./ledger.ts";
import { isIncluded, messageHash, processed } from "./processor.ts";
import { BLOCKHASH_VALID_BLOCKS, type Blockhash, Slots } from "./slots.ts";
import type { TransactionError } from "./transaction-error.ts";
import type { TransactionMeta } from "./transaction-meta.ts";
import { TransactionRefusedError } from "./transaction-refused.ts";
import type {
  HistoryRange,
  LedgerEntry,
  LedgerOutcome,
  LedgerTransaction,
  Prunable,
} from "./transaction-table.ts";
import {
  parseMessage,
  parseTransaction,
  type WireTransaction,
  withBlockhash,
} from "./wire-transaction.ts";

/**
 * For how many slots a transaction is kept whatever the limit: as long as nodes remember statuses
 * (agave `MAX_RECENT_BLOCKHASHES`). That is twice as long as its blockhash can be valid, so nothing
 * can be processed a second time.
 */
const KEPT_SLOTS = 2 * BLOCKHASH_VALID_BLOCKS;

/**
 * A Solana chain in this process: LiteSVM runs the transactions, a ledger on disk keeps what they
 * did. A transaction is written before its signature is given out, and LiteSVM's memory changes
 * only after that, so the two never disagree. What leaves this process waits for
 * {@link LocalChain.whenSynced} too, and so outlives a power failure.
 */
export class LocalChain {
  readonly #ledger: Ledger;
  readonly #slots: Slots;
  readonly #engine: Engine;
  readonly #faucet: Keypair;
  /** How many transactions are kept; 0 for all. */
  readonly #history: number;
  readonly #openedAt: number;
  #notedSlot: number;

  private constructor(ledger: Ledger, { clock, programs = [], history = 0 }: LocalChainOptions) {
    this.#ledger = ledger;
    this.#history = history;
    const { timeMs, seed, faucet } = ledger.genesis;
    this.#notedSlot = ledger.highestSlot;
    // It was made here, and checking a key takes as long as all else at a start.
    this.#faucet = Keypair.fromSecretKey(faucet, { skipValidation: true });
    this.#slots = new Slots(clock, timeMs, seed, this.#notedSlot);
    this.#openedAt = this.#slots.advance();
    this.#engine = new Engine(this.#slots, ledger.accounts, programs);
    if (ledger.accounts.isEmpty()) this.#writeGenesis();
  }

  /**
   * Opens the chain on a ledger, or makes both.
   *
   * @throws {LedgerInUseError} another process has the ledger open
   * @throws {LedgerVersionError} another version of this program wrote the ledger
   */
  static open(options: LocalChainOptions): LocalChain {
    const ledger = new Ledger(options.ledgerPath, () => ({
      timeMs: options.clock.now(),
      seed: randomBytes(32),
      faucet: Keypair.generate().secretKey,
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

  /**
   * Waits until all that was processed is on the disk: only then may anybody be told of it.
   *
   * @returns null when it is there already
   * @throws {Error} the disk failed
   */
  whenSynced(): Promise<void> | null {
    return this.#ledger.whenSynced();
  }

  /** How many accounts of the ledger are in memory. */
  get residentAccounts(): number {
    return this.#engine.residents;
  }

  /** The current slot. */
  slot(): number {
    const slot = this.#slots.advance();
    if (slot > this.#notedSlot) {
      this.#ledger.noteSlot(slot);
      this.#notedSlot = slot;
    }
    return slot;
  }

  finalizedSlot(): number {
    this.slot();
    return this.#slots.finalized;
  }

  blockHeight(slot = this.slot()): number {
    return this.#slots.heightOf(slot);
  }

  /** @returns seconds since the Unix epoch */
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

  /** The address from which airdrops come. */
  get faucet(): PublicKey {
    return this.#faucet.publicKey;
  }

  getAccount(address: AddressLike): StoredAccount | null {
    this.slot();
    this.#engine.syncClock();
    return this.#engine.account(addressBytes(address));
  }

  getAccounts(addresses: readonly AddressLike[]): (StoredAccount | null)[] {
    return addresses.map((address) => this.getAccount(address));
  }

  /** @returns lamports */
  getBalance(address: AddressLike): bigint {
    return this.#engine.balance(addressBytes(address));
  }

  accountsOwnedBy(program: AddressLike): Iterable<AccountChange> {
    return this.#ledger.accounts.ownedBy(addressBytes(program));
  }

  /** Accounts that may be token accounts, of SPL Token or Token-2022, of a wallet. */
  tokenAccountsOf(wallet: AddressLike): Iterable<AccountChange> {
    return this.#ledger.accounts.tokenAccountsOf(addressBytes(wallet));
  }

  /** Accounts that may be token accounts, of SPL Token or Token-2022, of a mint. */
  tokenAccountsOfMint(mint: AddressLike): Iterable<AccountChange> {
    return this.#ledger.accounts.tokenAccountsOfMint(addressBytes(mint));
  }

  /** Lamports that an account with so many bytes of data must hold. */
  rentExemption(bytes: number): bigint {
    return this.#engine.rentExemption(bytes);
  }

  /**
   * What a transaction with this message would cost, in lamports.
   *
   * @throws {MalformedTransactionError}
   */
  feeOf(message: Uint8Array): bigint {
    return feeOf(parseMessage(message));
  }

  /** Writes an account without a transaction, for genesis and fixtures. It is kept like any other. */
  setAccount(address: AddressLike, init: AccountInit): void {
    const account: StoredAccount = {
      lamports: init.lamports,
      owner: addressBytes(init.owner),
      data: init.data ?? new Uint8Array(),
      executable: false,
      rentEpoch: RENT_EXEMPT_EPOCH,
    };
    const changes = [{ address: addressBytes(address), account }];
    this.#ledger.setAccounts(changes);
    this.#engine.apply(changes);
  }

  /**
   * Sends lamports from the faucet, in a transaction like any other.
   *
   * @returns its signature
   * @throws {TransactionRefusedError} the faucet has not that many, or it is too little for rent
   */
  airdrop(address: AddressLike, lamports: bigint): string {
    const to = new PublicKey(addressBytes(address));
    const { blockhash } = this.latestBlockhash();
    const number = this.transactionCount();
    return this.sendTransaction(
      airdropTransaction({ faucet: this.#faucet, to, lamports, blockhash, number }),
    );
  }

  /**
   * Processes a signed transaction. Returns once it is in the ledger, where it survives the end of
   * this process.
   *
   * @param options.skipPreflight take a failing transaction too: it lands, fails and pays its fee.
   *   One that cannot land, such as with an expired blockhash, is dropped without a word
   * @returns the base58 signature
   * @throws {MalformedTransactionError} the bytes are no transaction
   * @throws {TransactionRefusedError} it would fail, and `skipPreflight` was not given
   */
  sendTransaction(bytes: Uint8Array, options: { readonly skipPreflight?: boolean } = {}): string {
    const tx = parseTransaction(bytes);
    const slot = this.slot();
    const execution = this.#engine.run(tx, true);
    const obstacle = execution.error === "SignatureFailure" ? null : this.#obstacle(tx);
    if (options.skipPreflight !== true) {
      if (obstacle !== null) throw new TransactionRefusedError(obstacle, null);
      if (execution.error !== null) throw new TransactionRefusedError(execution.error, execution);
    }
    if (obstacle === null && isIncluded(execution)) {
      const { transaction, changes } = processed(this.#engine, tx, execution, slot);
      this.#ledger.commit(transaction, changes, this.#prunable(slot));
      this.#engine.apply(changes);
      this.#notedSlot = slot;
    }
    return tx.signature;
  }

  /**
   * Runs a transaction and changes nothing.
   *
   * @param options.verifySignatures false by default, as in the RPC
   * @param options.replaceBlockhash run it with the latest blockhash instead of its own
   * @throws {MalformedTransactionError}
   */
  simulateTransaction(
    bytes: Uint8Array,
    options: { readonly verifySignatures?: boolean; readonly replaceBlockhash?: boolean } = {},
  ): SimulationReport {
    const parsed = parseTransaction(bytes);
    this.slot();
    const replacement = options.replaceBlockhash === true ? this.latestBlockhash() : null;
    const hash = replacement === null ? null : base58.decode(replacement.blockhash, 32);
    const tx = hash === null ? parsed : withBlockhash(parsed, hash);
    const obstacle = this.#obstacle(tx);
    const execution =
      obstacle === null ? this.#engine.run(tx, options.verifySignatures === true) : null;
    return { error: obstacle ?? execution?.error ?? null, execution, replacement };
  }

  /** @returns null when no transaction of that signature is kept */
  getTransaction(signature: string): ProcessedTransaction | null {
    this.slot();
    const bytes = base58.decode(signature, SIGNATURE_BYTES);
    const found = bytes === null ? null : this.#ledger.transactions.get(bytes);
    return found === null ? null : this.#processed(found);
  }

  /** @returns null when no transaction of that signature is kept */
  signatureStatus(signature: string): SignatureStatus | null {
    this.slot();
    const bytes = base58.decode(signature, SIGNATURE_BYTES);
    const found = bytes === null ? null : this.#ledger.transactions.outcome(bytes);
    return found === null ? null : this.#status(found);
  }

  /** An account's transactions, newest first. */
  history(address: AddressLike, range: HistoryRange): HistoryEntry[] {
    this.slot();
    return this.#ledger.transactions
      .of(addressBytes(address), range)
      .map((entry) => this.#entry(entry));
  }

  /** How many transactions there ever were. */
  transactionCount(): number {
    return this.#ledger.transactions.count();
  }

  /** The slot of the oldest transaction that is kept; 0 while all are. */
  firstAvailableSlot(): number {
    return this.#ledger.transactions.firstSlot() ?? 0;
  }

  #entry(found: LedgerEntry): HistoryEntry {
    return {
      ...this.#status(found),
      signature: base58.encode(found.signature),
      blockTime: this.#slots.timeOf(found.slot),
    };
  }

  #processed(found: LedgerTransaction): ProcessedTransaction {
    return {
      ...this.#entry(found),
      bytes: found.bytes,
      meta: parseExact(found.meta) as TransactionMeta,
      size: found.bytes.length + found.meta.length,
    };
  }

  #status({ slot, error }: LedgerOutcome): SignatureStatus {
    return {
      slot,
      error: error === null ? null : (JSON.parse(error) as TransactionError),
      finalized: slot <= this.#slots.finalized,
    };
  }

  /** Why a transaction cannot land, whatever it does; in the order in which nodes look. */
  #obstacle(tx: WireTransaction): TransactionError | null {
    if (!this.#slots.isRecent(tx.message.blockhash)) return "BlockhashNotFound";
    return this.#ledger.transactions.hasMessage(messageHash(tx)) ? "AlreadyProcessed" : null;
  }

  /** Nothing is pruned right after a start, while others may still ask what became of theirs. */
  #prunable(slot: number): Prunable | null {
    if (this.#history === 0 || slot - this.#openedAt <= KEPT_SLOTS) return null;
    return { keep: this.#history, fromSlot: slot - KEPT_SLOTS };
  }

  #writeGenesis(): void {
    this.#ledger.setAccounts([
      ...this.#engine.nativeMints(),
      { address: this.#faucet.publicKey.toBytes(), account: faucetAccount() },
    ]);
  }
}
