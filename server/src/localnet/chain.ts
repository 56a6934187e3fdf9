import { randomBytes } from "node:crypto";
import { Keypair, PublicKey } from "@solana/web3.js";
import { base58 } from "../base/base58.ts";
import { type AccountChange, RENT_EXEMPT_EPOCH, type StoredAccount } from "./account.ts";
import { AccountTable } from "./account-table.ts";
import { type AddressLike, addressBytes } from "./address.ts";
import type {
  AccountInit,
  Halt,
  HistoryEntry,
  LocalChainOptions,
  ProcessedTransaction,
  SendOptions,
  SignatureStatus,
  SimulateOptions,
  TransactionSimulationResult,
} from "./chain-types.ts";
import { Engine, RENT_PER_BYTE } from "./engine.ts";
import { airdropTransaction, faucetAccount } from "./faucet.ts";
import { feeOf } from "./fee.ts";
import { genesisHashOf, Ledger } from "./ledger.ts";
import { parseMessage } from "./parse-message.ts";
import { type Blockhash, Slots } from "./slots.ts";
import { TransactionProcessor } from "./transaction-processor.ts";
import { type HistoryRange, TransactionTable } from "./transaction-table.ts";

/**
 * A Solana chain in this process: LiteSVM runs the transactions, a ledger on disk keeps their
 * effects. A transaction is written before its signature is returned, and LiteSVM's memory changes
 * only after that, so the two never disagree. What was returned survives the end of the process,
 * however it ends, but not a power failure.
 *
 * It is the face of its parts: {@link Slots} for time, {@link Engine} for accounts,
 * {@link TransactionProcessor} for what it executes, {@link TransactionTable} for what happened.
 */
export class LocalChain {
  readonly #ledger: Ledger;
  readonly #slots: Slots;
  readonly #engine: Engine;
  readonly #processor: TransactionProcessor;
  readonly #accounts: AccountTable;
  readonly #transactions: TransactionTable;
  readonly #faucet: Keypair;

  private constructor(ledger: Ledger, options: LocalChainOptions) {
    const { clock, programs = [], history = 0, slotMs } = options;
    this.#ledger = ledger;
    // This program made the key, and validating it would double the time of a start.
    this.#faucet = Keypair.fromSecretKey(ledger.genesis.faucet, { skipValidation: true });
    const slots = new Slots(clock, ledger, slotMs);
    slots.advance();
    const accounts = new AccountTable(ledger.db);
    const transactions = new TransactionTable(ledger.db, slots);
    const engine = new Engine(slots, accounts, programs);
    engine.setRent(options.rentPerByte ?? RENT_PER_BYTE);
    this.#slots = slots;
    this.#engine = engine;
    this.#accounts = accounts;
    this.#transactions = transactions;
    const parts = { ledger, slots, engine, accounts, transactions };
    this.#processor = new TransactionProcessor(parts, history);
    if (accounts.isEmpty()) this.#writeGenesis();
  }

  /**
   * Opens the chain of a ledger, or creates both.
   *
   * @throws {LedgerInUseError} if another process has the ledger open
   * @throws {LedgerVersionError} if another version of this program wrote the ledger
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

  /** Changes the length of slots, in milliseconds, from the next slot on. */
  setSlotMs(slotMs: number): void {
    this.#slots.setSlotMs(slotMs);
  }

  /** Changes the rent, in lamports per byte. Accounts keep what they hold. */
  setRent(rentPerByte: bigint): void {
    this.#engine.setRent(rentPerByte);
  }

  /**
   * Stops the chain in part, as a cluster does in an outage or a migration.
   *
   * @param halt null to go on
   */
  halt(halt: Halt | null): void {
    this.#slots.halt(halt === "blocks");
    this.#processor.isHalted = halt !== null;
  }

  /** How many accounts of the ledger are in memory. */
  get residentAccounts(): number {
    return this.#engine.residents;
  }

  /** The current slot. */
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

  /** The address that pays airdrops. */
  get faucet(): PublicKey {
    return this.#faucet.publicKey;
  }

  getAccount(address: AddressLike): StoredAccount | null {
    this.slot();
    this.#engine.syncClock();
    return this.#engine.account(addressBytes(address));
  }

  /** @returns lamports */
  getBalance(address: AddressLike): bigint {
    return this.#engine.balance(addressBytes(address));
  }

  accountsOwnedBy(program: AddressLike): Iterable<AccountChange> {
    return this.#accounts.ownedBy(addressBytes(program));
  }

  /** Accounts of a wallet that may be token accounts of SPL Token or Token-2022. */
  tokenAccountsOf(wallet: AddressLike): Iterable<AccountChange> {
    return this.#accounts.tokenAccountsOf(addressBytes(wallet));
  }

  /** The lamports that an account with this many bytes of data must hold. */
  rentExemption(bytes: number): bigint {
    return this.#engine.rentExemption(bytes);
  }

  /**
   * The fee of a transaction with this message, in lamports.
   *
   * @throws {MalformedTransactionError} if the bytes are no message
   */
  feeOf(message: Uint8Array): bigint {
    return feeOf(parseMessage(message));
  }

  /** Writes an account without a transaction, for genesis and fixtures. */
  setAccount(address: AddressLike, init: AccountInit): void {
    const account: StoredAccount = {
      lamports: init.lamports,
      owner: addressBytes(init.owner),
      data: init.data ?? new Uint8Array(),
      executable: false,
      rentEpoch: RENT_EXEMPT_EPOCH,
    };
    const changes = [{ address: addressBytes(address), account }];
    this.#ledger.write(() => this.#accounts.write(changes));
    this.#engine.apply(changes);
  }

  /**
   * Sends lamports from the faucet, in a transaction like any other.
   *
   * @returns its signature
   * @throws {TransactionRefusedError} if the faucet has too little, or if the account would be left
   *   with too little for its rent
   */
  airdrop(address: AddressLike, lamports: bigint): string {
    const to = new PublicKey(addressBytes(address));
    const { blockhash } = this.latestBlockhash();
    const number = this.transactionCount();
    return this.sendTransaction(
      airdropTransaction(this.#faucet, { to, lamports }, { blockhash, number }),
    );
  }

  /**
   * Processes a signed transaction. Returns once it is in the ledger, where it survives the end of
   * this process.
   *
   * @returns the base58 signature
   * @throws {MalformedTransactionError} if the bytes are no transaction
   * @throws {TransactionRefusedError} if it would fail, without `skipPreflight`
   */
  sendTransaction(bytes: Uint8Array, options: SendOptions = {}): string {
    return this.#processor.send(bytes, options);
  }

  /**
   * Runs a transaction and changes nothing.
   *
   * @throws {MalformedTransactionError} if the bytes are no transaction
   */
  simulateTransaction(
    bytes: Uint8Array,
    options: SimulateOptions = {},
  ): TransactionSimulationResult {
    return this.#processor.simulate(bytes, options);
  }

  /** @returns null if the ledger keeps no transaction with this signature */
  getTransaction(signature: string): ProcessedTransaction | null {
    return this.#transactions.get(signature);
  }

  /** @returns null if the ledger keeps no transaction with this signature */
  signatureStatus(signature: string): SignatureStatus | null {
    return this.#transactions.status(signature);
  }

  /** An account's transactions, newest first. */
  history(address: AddressLike, range: HistoryRange): HistoryEntry[] {
    return this.#transactions.of(address, range);
  }

  /** The kept transactions of a slot, in their order. */
  transactionsIn(slot: number): ProcessedTransaction[] {
    return this.#transactions.inSlot(slot);
  }

  /** How many transactions the chain ever processed, pruned ones too. */
  transactionCount(): number {
    return this.#transactions.count();
  }

  /** The slot of the oldest kept transaction; 0 while all are kept. */
  firstAvailableSlot(): number {
    return this.#transactions.firstSlot() ?? 0;
  }

  #writeGenesis(): void {
    const faucet = { address: this.#faucet.publicKey.toBytes(), account: faucetAccount() };
    this.#ledger.write(() => this.#accounts.write([...this.#engine.nativeMints(), faucet]));
  }
}
