// The native binding, because the public wrapper writes every account with rent epoch 0, does not
// return rent epochs, and takes 100 µs to simulate a transfer that takes 30 to 60 µs here: it
// decodes and encodes every address and transaction with kit.

import type { WireMessage } from "@tokenctl/shared/wire-transaction";
import {
  Account,
  Clock,
  EpochSchedule,
  FailedTransactionMetadata,
  LiteSvm,
  Rent,
  type TransactionMetadata,
} from "litesvm/dist/internal";
import { type AccountChange, bytesKey, type StoredAccount, sameBytes } from "./account.ts";
import type { AccountTable } from "./account-table.ts";
import { feeOf, LAMPORTS_PER_SIGNATURE } from "./fee.ts";
import type { ProgramBinary } from "./programs.ts";
import { ResidentAccounts } from "./resident-accounts.ts";
import { SLOTS_PER_EPOCH, type Slots } from "./slots.ts";
import { type TransactionError, transactionErrorOf } from "./transaction-error.ts";
import {
  ADDRESS_LOOKUP_TABLE_PROGRAM,
  INSTRUCTIONS_SYSVAR,
  LOADERS,
  NATIVE_MINT,
  NATIVE_MINT_2022,
  SLOT_HASHES_SYSVAR,
} from "./well-known.ts";
import { loadAddresses, type WireTransaction } from "./wire-transaction.ts";

/** The usual rent, in lamports per byte (solana-rent `DEFAULT_LAMPORTS_PER_BYTE`). */
export const RENT_PER_BYTE = 6_960n;
/** Rent is charged once, not by the year (SIMD-0194). */
const EXEMPTION_THRESHOLD = 1;
/** In percent; unused since rent is no longer collected (solana-rent `DEFAULT_BURN_PERCENT`). */
const BURN_PERCENT = 50;

/** What loading an account and a lookup table costs (agave `TRANSACTION_ACCOUNT_BASE_SIZE`, `ADDRESS_LOOKUP_TABLE_BASE_SIZE`). */
const ACCOUNT_BASE_BYTES = 64;
const LOOKUP_TABLE_BYTES = 8_248;

export interface Execution {
  readonly error: TransactionError | null;
  /** The writable accounts after the transaction; empty if it failed. */
  readonly changes: readonly AccountChange[];
  readonly meta: TransactionMetadata;
}

/**
 * A LiteSVM whose memory holds the accounts of one engine at a time:
 *
 *     no svm ── engine A runs: made ──▶ A's ── engine B runs, A's accounts taken out ──▶ B's
 *       ▲                                │
 *       └── it failed halfway, or A had deployed a program, which cannot be taken out
 *
 * Rent, clock and slot hashes are set again each time. The tests of `resident-accounts.ts` show that chains see
 * nothing of each other.
 */
interface Machine {
  /** Null until it is needed, and after a failure. */
  svm: LiteSvm | null;
  user: Engine | null;
  hasSlotHashes: boolean;
  /** Of LiteSVM's own programs, by address. */
  readonly programSizes: Map<string, AccountSize>;
}

interface AccountSize {
  readonly bytes: number;
  /** Where an upgradeable program has its code (`UpgradeableLoaderState::Program`). */
  readonly code: Uint8Array | null;
}

const UNUSED = { svm: null, user: null, hasSlotHashes: false } as const;

const NO_PROGRAMS: readonly ProgramBinary[] = [];
/**
 * By the programs with which they begin. Compiling these takes 30 ms or more, so the chains that a
 * process opens with the same programs share one.
 */
const machines = new WeakMap<readonly ProgramBinary[], Machine>();

function createSvm(programs: readonly ProgramBinary[]): LiteSvm {
  const svm = new LiteSvm();
  // Blockhashes and duplicates are checked against the ledger, which outlives LiteSVM's memory.
  svm.setBlockhashCheck(false);
  svm.setTransactionHistory(0n);
  const slots = BigInt(SLOTS_PER_EPOCH);
  svm.setEpochSchedule(new EpochSchedule(slots, slots, false, 0n, 0n));
  svm.withNativeMints();
  for (const { programId, bytes } of programs) svm.addProgram(programId.toBytes(), bytes);
  return svm;
}

/**
 * Runs transactions in LiteSVM, whose memory holds the ledger's accounts in use. Running changes
 * nothing; only {@link Engine.apply} does.
 */
export class Engine {
  readonly #machine: Machine;
  #resident: ResidentAccounts | null = null;
  #rentPerByte = RENT_PER_BYTE;
  #lamportsPerSignature = LAMPORTS_PER_SIGNATURE;
  #clockSlot = -1;
  #slotHashesSlot = -1;

  constructor(
    private readonly slots: Slots,
    private readonly kept: AccountTable,
    private readonly programs: readonly ProgramBinary[] = NO_PROGRAMS,
  ) {
    this.#machine = machines.get(programs) ?? { ...UNUSED, programSizes: new Map() };
    machines.set(programs, this.#machine);
    this.#takeOver();
  }

  get #svm(): LiteSvm {
    const { svm, user } = this.#machine;
    return user === this && svm !== null ? svm : this.#takeOver();
  }

  get #accounts(): ResidentAccounts {
    const svm = this.#svm;
    this.#resident ??= new ResidentAccounts(svm, this.kept);
    return this.#resident;
  }

  #takeOver(): LiteSvm {
    const machine = this.#machine;
    const { svm, user, hasSlotHashes } = machine;
    // What fails halfway leaves nothing to the next.
    Object.assign(machine, UNUSED);
    this.#resident = null;
    const isEmpty = svm !== null && (user === null || user.#leave());
    const taken = isEmpty ? svm : createSvm(this.programs);
    try {
      Object.assign(machine, { svm: taken, user: this, hasSlotHashes: isEmpty && hasSlotHashes });
      this.#clockSlot = -1;
      this.#slotHashesSlot = -1;
      this.setRent(this.#rentPerByte);
      this.#accounts.loadPrograms();
      this.syncClock();
      if (machine.hasSlotHashes) this.#syncSlotHashes();
      return taken;
    } catch (error) {
      Object.assign(machine, UNUSED);
      throw error;
    }
  }

  /** @returns whether nothing of this ledger is left in LiteSVM's memory */
  #leave(): boolean {
    const isEmpty = this.#resident?.leave() ?? true;
    this.#resident = null;
    return isEmpty;
  }

  get residents(): number {
    return this.#accounts.size;
  }

  get slot(): number {
    return this.slots.current;
  }

  nativeMints(): AccountChange[] {
    return [NATIVE_MINT, NATIVE_MINT_2022].flatMap((address) => {
      const account = this.account(address);
      return account === null ? [] : [{ address, account }];
    });
  }

  account(address: Uint8Array): StoredAccount | null {
    const kept = this.#accounts.has(address) ? null : this.kept.get(address);
    if (kept !== null) return kept;
    const account = this.#svm.getAccount(address);
    return account === null ? null : stored(account);
  }

  /** How many bytes a transaction that names these accounts loads (SIMD-0186). */
  loadedBytes({ lookups }: WireMessage, addresses: readonly Uint8Array[]): number {
    const sizes = new Map(addresses.map((address) => [bytesKey(address), this.#size(address)]));
    for (const { code } of [...sizes.values()]) {
      if (code !== null) sizes.set(bytesKey(code), this.#size(code));
    }
    const base = LOOKUP_TABLE_BYTES * lookups.length;
    return [...sizes.values()].reduce((sum, { bytes }) => sum + bytes, base);
  }

  #size(address: Uint8Array): AccountSize {
    const key = bytesKey(address);
    const { programSizes } = this.#machine;
    const isKept = this.#accounts.has(address) || this.kept.balance(address) !== null;
    const known = isKept ? undefined : programSizes.get(key);
    if (known !== undefined) return known;
    const account = this.account(address);
    if (account === null || sameBytes(address, INSTRUCTIONS_SYSVAR))
      return { bytes: 0, code: null };
    const { data, executable, owner } = account;
    const isProgram = LOADERS.some((loader) => sameBytes(loader, owner));
    const code = isProgram && executable && data.length === 36 ? data.subarray(4) : null;
    const size = { bytes: ACCOUNT_BASE_BYTES + data.length, code };
    // Of LiteSVM's own programs: reading one copies it.
    if (isProgram && !isKept) programSizes.set(key, size);
    return size;
  }

  balance(address: Uint8Array): bigint {
    // Does not copy the data, which is megabytes for a program.
    const kept = this.#accounts.has(address) ? null : this.kept.balance(address);
    return kept ?? this.#svm.getBalance(address) ?? 0n;
  }

  setRent(rentPerByte: bigint): void {
    this.#rentPerByte = rentPerByte;
    this.#svm.setRent(new Rent(rentPerByte, EXEMPTION_THRESHOLD, BURN_PERCENT));
  }

  setSignatureFee(lamports: bigint): void {
    this.#lamportsPerSignature = lamports;
  }

  feeOf(message: WireMessage): bigint {
    return feeOf(message, this.#lamportsPerSignature);
  }

  rentExemption(bytes: number): bigint {
    return this.#svm.minimumBalanceForRentExemption(BigInt(bytes));
  }

  run(tx: WireTransaction, verifySignatures: boolean): Execution {
    this.syncClock();
    this.#load(tx.message);
    if (readsSlotHashes(tx.message)) this.#syncSlotHashes();
    this.#svm.setSigverify(verifySignatures);
    const result = this.#simulate(tx);
    if (result instanceof FailedTransactionMetadata) {
      const error = transactionErrorOf(result);
      // LiteSVM has one error for a program that may not run and for one that there is not.
      const isMissing = error === "InvalidProgramForExecution" && this.#lacksProgram(tx.message);
      return {
        error: isMissing ? "ProgramAccountNotFound" : error,
        changes: [],
        meta: result.meta(),
      };
    }
    const changes = result
      .postAccounts()
      .map((entry) => ({ address: entry.address, account: stored(entry.account()) }));
    return { error: null, changes, meta: result.meta() };
  }

  /** Takes the payer's lamports beforehand if a signature costs more than LiteSVM charges. */
  #simulate({ bytes, message }: WireTransaction) {
    const svm = this.#svm;
    const run = () => svm.simulateVersionedTransaction(bytes);
    const surcharge = this.feeOf(message) - feeOf(message);
    const address = message.staticKeys[0] ?? new Uint8Array();
    const payer = surcharge === 0n ? null : svm.getAccount(address);
    if (payer === null) return run();
    const left = payer.lamports() - surcharge;
    const { data, owner, executable, rentEpoch } = stored(payer);
    // An account with 1 lamport exists and can pay nothing.
    const reduced = new Account(left > 0n ? left : 1n, data, owner, executable, rentEpoch);
    svm.setAccount(address, reduced);
    try {
      return run();
    } finally {
      svm.setAccount(address, payer);
    }
  }

  #lacksProgram({ instructions, staticKeys }: WireMessage): boolean {
    return instructions.some(({ programIdIndex }) => {
      const program = staticKeys[programIdIndex];
      return program !== undefined && this.balance(program) === 0n;
    });
  }

  apply(changes: readonly AccountChange[]): void {
    this.#accounts.apply(changes);
  }

  syncClock(): void {
    const slot = this.slots.current;
    if (slot === this.#clockSlot) return;
    const epoch = Math.floor(slot / SLOTS_PER_EPOCH);
    const epochStart = this.slots.timeOf(epoch * SLOTS_PER_EPOCH);
    this.#svm.setClock(
      new Clock(
        BigInt(slot),
        BigInt(epochStart),
        BigInt(epoch),
        BigInt(epoch + 1),
        BigInt(this.slots.timeOf(slot)),
      ),
    );
    this.#clockSlot = slot;
  }

  #load(message: WireMessage): void {
    const accounts = this.#accounts;
    accounts.evict();
    accounts.load(message.staticKeys);
    if (message.lookups.length === 0) return;
    accounts.load(message.lookups.map(({ table }) => table));
    const { writable, readonly } = loadAddresses(message, (table) => this.account(table)?.data);
    accounts.load([...writable, ...readonly]);
  }

  /** Called only for transactions that read them: hashing 512 slots takes about a millisecond. */
  #syncSlotHashes(): void {
    const slot = this.slots.current;
    if (slot === this.#slotHashesSlot) return;
    this.#svm.setSlotHashes(
      this.slots
        .recentHashes()
        .map(({ slot, blockhash }) => ({ slot: BigInt(slot), hash: blockhash })),
    );
    this.#slotHashesSlot = slot;
    this.#machine.hasSlotHashes = true;
  }
}

function stored(account: Account): StoredAccount {
  return {
    lamports: account.lamports(),
    data: account.data(),
    owner: account.owner(),
    executable: account.executable(),
    rentEpoch: account.rentEpoch(),
  };
}

function readsSlotHashes(message: WireMessage): boolean {
  if (message.lookups.length > 0) return true;
  return message.staticKeys.some(
    (key) => sameBytes(key, ADDRESS_LOOKUP_TABLE_PROGRAM) || sameBytes(key, SLOT_HASHES_SYSVAR),
  );
}
