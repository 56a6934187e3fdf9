import { randomBytes } from "node:crypto";
import { Keypair, PublicKey } from "@solana/web3.js";
import type { WireMessage } from "@tokenctl/shared/wire-transaction";
import { base58 } from "../base/base58.ts";
import type { Clock } from "../base/clock.ts";
import { generateKeypair } from "../base/native-keys.ts";
import {
  type AccountChange,
  AccountTable,
  type AddressLike,
  addressBytes,
  type StoredAccount,
  sameBytes,
} from "./accounts.ts";
import { Engine, type Execution } from "./engine.ts";
import { budgetRequests } from "./fee.ts";
import { airdropTransaction, genesisAccounts, type NewAccount, newAccount } from "./genesis.ts";
import { genesisHashOf, Ledger } from "./ledger.ts";
import type { ProgramBinary } from "./programs.ts";
import { type Blockhash, SLOT_MS, Slots, STATUS_CACHE_SLOTS } from "./slots.ts";
import { describeTransactionError, type TransactionError } from "./transaction-error.ts";
import { type Effects, effectsOf, messageHash, toLedgerRecord } from "./transaction-meta.ts";
import { type ProcessedTransaction, TransactionTable } from "./transaction-table.ts";
import { LOADERS, SYSTEM_PROGRAM } from "./well-known.ts";
import {
  MalformedTransactionError,
  parseTransaction,
  type WireTransaction,
  withBlockhash,
} from "./wire-transaction.ts";

export interface ChainTerms {
  /** The length of a slot on a new ledger, in milliseconds. Default: 400. */
  readonly slotMs?: number | undefined;
  /** The rent of a new account, in lamports per byte. Default: 6,960. */
  readonly rentPerByte?: bigint | undefined;
  /** The fee per signature, in lamports. Default: 5,000. */
  readonly lamportsPerSignature?: bigint | undefined;
}

export interface LocalChainOptions extends ChainTerms {
  /** The ledger's file, created if missing, or ":memory:" for a chain that is not stored. */
  readonly ledgerPath: string;
  readonly clock: Clock;
  /** Additions to SPL Token, Token-2022, associated token account and memo; not in the ledger. */
  readonly programs?: readonly ProgramBinary[];
  /** How many of the newest transactions stay, besides those of the last 300 slots. */
  readonly history?: number;
}

const HISTORY = 10_000;

export interface Simulation {
  readonly error: TransactionError | null;
  /** Null if a signature or the blockhash is not valid, or the transaction was processed before. */
  readonly execution: Execution | null;
  /** Null if the signatures are not valid. */
  readonly effects: Effects | null;
}

export class TransactionRefusedError extends Error {
  override readonly name = "TransactionRefusedError";

  constructor(
    readonly error: TransactionError,
    readonly simulation: Simulation,
  ) {
    super(describeTransactionError(error));
  }
}

/**
 * A Solana chain in this process: LiteSVM runs the transactions, and a ledger on disk stores their
 * effects. A transaction is written before its signature is returned: it survives the end of the
 * process, but not a power failure.
 */
export class LocalChain {
  readonly accounts: AccountTable;
  readonly transactions: TransactionTable;
  readonly slots: Slots;
  /** Called with the accounts that a transaction changed, before its sender gets an answer. */
  onChange: ((changes: readonly AccountChange[]) => void) | null = null;
  readonly #ledger: Ledger;
  readonly #engine: Engine;
  readonly #faucet: Keypair;
  readonly #history: number;

  private constructor(ledger: Ledger, options: LocalChainOptions) {
    const { clock, programs, history = HISTORY } = options;
    this.#ledger = ledger;
    this.#history = history;
    // This program made the key, and validating it would double the start's time.
    this.#faucet = Keypair.fromSecretKey(ledger.genesis.faucet, { skipValidation: true });
    this.slots = new Slots(clock, ledger);
    this.slots.advance();
    this.accounts = new AccountTable(ledger.db);
    this.transactions = new TransactionTable(ledger.db, this.slots);
    this.#engine = new Engine(this.slots, this.accounts, programs);
    this.#engine.setTerms(options);
    const missing = genesisAccounts(this.#engine, this.faucet).filter(
      ({ address }) => this.accounts.get(address) === null,
    );
    if (missing.length > 0) ledger.write(() => this.accounts.write(missing));
  }

  /** @throws {Error} the ledger cannot be opened, or its slots have another length */
  static open(options: LocalChainOptions): LocalChain {
    const { clock, ledgerPath, slotMs } = options;
    const ledger = new Ledger(ledgerPath, () => ({
      timeMs: clock.now(),
      slotMs: slotMs ?? SLOT_MS,
      seed: randomBytes(32),
      faucet: generateKeypair().secretKey,
    }));
    try {
      const { slotMs: kept } = ledger.genesis;
      if (kept !== (slotMs ?? kept)) {
        throw new Error(
          `the ledger ${ledgerPath} has slots of ${kept} ms: set LOCAL_SLOT_MS back, or use another ledger file`,
        );
      }
      return new LocalChain(ledger, options);
    } catch (error) {
      ledger.close();
      throw error;
    }
  }

  close(): void {
    this.#ledger.close();
  }

  setRent(rentPerByte: bigint): void {
    this.#engine.setTerms({ rentPerByte });
  }

  /** Returns a message's fee, in lamports; null if its blockhash is not recent. */
  feeOf(message: WireMessage): bigint | null {
    this.slot();
    return this.slots.isRecent(message.blockhash) ? this.#engine.feeOf(message) : null;
  }

  slot(): number {
    return this.slots.advance();
  }

  blockHeight(slot = this.slot()): number {
    return this.slots.heightOf(slot);
  }

  latestBlockhash(slot = this.slot()): Blockhash {
    return this.slots.blockhashOf(slot);
  }

  genesisHash(): string {
    return genesisHashOf(this.#ledger.genesis.seed);
  }

  get faucet(): PublicKey {
    return this.#faucet.publicKey;
  }

  getAccount(address: AddressLike): StoredAccount | null {
    this.slot();
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
    const changes = [newAccount(address, init)];
    this.#ledger.write(() => this.accounts.write(changes));
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
   * Returns the signature once the transaction is in the ledger. The preflight knows blockhashes up
   * to slot `at`. With `skipPreflight`, a failing transaction lands and pays its fee, and one that
   * no block can contain is silently dropped.
   * @throws {MalformedTransactionError}
   * @throws {TransactionRefusedError} it would fail, without `skipPreflight`
   */
  sendTransaction(bytes: Uint8Array, { skipPreflight = false, at = this.slot() } = {}): string {
    const slot = this.slot();
    const tx = parseTransaction(bytes);
    const simulation = this.#run(tx, true, skipPreflight ? slot : at);
    const { error, execution, effects } = simulation;
    if (!skipPreflight && error !== null) throw new TransactionRefusedError(error, simulation);
    // Without a fee, no block contains it.
    if (execution !== null && effects !== null && effects.fee !== null) {
      const { changes } = effects;
      const transaction = toLedgerRecord(tx, slot, { execution, effects });
      this.#ledger.write(() => {
        this.transactions.insert(transaction);
        this.transactions.prune(this.#history, slot - STATUS_CACHE_SLOTS);
        this.accounts.write(changes);
      });
      this.onChange?.(changes);
    }
    return tx.signature;
  }

  /**
   * Runs a transaction on the newest accounts, with blockhashes up to slot `at`, and changes
   * nothing.
   */
  simulateTransaction(
    bytes: Uint8Array,
    { verifySignatures = false, replaceBlockhash = false, at = this.slot() } = {},
  ): Simulation & { readonly replacement: Blockhash | null } {
    const parsed = parseTransaction(bytes);
    const replacement = replaceBlockhash ? this.slots.blockhashOf(at) : null;
    const hash = replacement === null ? null : base58.decode(replacement.blockhash, 32);
    const replaced = hash === null ? parsed : withBlockhash(parsed, hash);
    return { ...this.#run(replaced, verifySignatures, at), replacement };
  }

  /** @throws {MalformedTransactionError} a node would refuse it before running anything */
  #run(tx: WireTransaction, verifySignatures: boolean, at: number): Simulation {
    budgetRequests(tx.message);
    requireOffered(tx.message);
    const execution = this.#engine.run(tx, verifySignatures);
    const { error } = execution;
    if (error === "SignatureFailure") return { error, execution: null, effects: null };
    const rejection = this.#rejection(tx, at);
    const ran = rejection === null ? execution : null;
    const effects = effectsOf(this.#engine, tx, ran);
    return { error: rejection ?? error, execution: ran, effects };
  }

  /**
   * Returns why the chain rejects a transaction no matter what it does, or null. The order is that
   * of a node's checks (agave `check_age`, then `check_status_cache`).
   * @param at the newest slot whose blockhash is known
   */
  #rejection(tx: WireTransaction, at: number): TransactionError | null {
    if (!this.slots.isRecent(tx.message.blockhash, at)) return "BlockhashNotFound";
    return this.transactions.hasMessage(messageHash(tx)) ? "AlreadyProcessed" : null;
  }
}

/** `SystemInstruction::AdvanceNonceAccount`. */
const ADVANCE_NONCE = 4;

/**
 * A nonce's blockhash is in an account, and LiteSVM has no new one to store there. A program that is
 * deployed would stay in LiteSVM, which chains share.
 * @throws {MalformedTransactionError} the message uses what this chain does not offer
 */
function requireOffered({ instructions, staticKeys }: WireMessage): void {
  const programs = instructions.map(({ programIdIndex }) => staticKeys[programIdIndex] ?? NO_KEY);
  // Only as the first instruction (agave `get_durable_nonce`).
  if (
    sameBytes(programs[0] ?? NO_KEY, SYSTEM_PROGRAM) &&
    instructions[0]?.data[0] === ADVANCE_NONCE
  ) {
    throw new MalformedTransactionError(
      "durable nonces are not offered by this chain: use a recent blockhash",
    );
  }
  if (programs.some((program) => LOADERS.some((loader) => sameBytes(loader, program)))) {
    throw new MalformedTransactionError("programs cannot be deployed on this chain");
  }
}

const NO_KEY = new Uint8Array();
