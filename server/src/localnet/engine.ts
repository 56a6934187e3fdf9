// Uses the native binding: the public wrapper writes every account with rent epoch 0 and does not
// return rent epochs. It also decodes and encodes everything with kit, so that a simulated transfer
// takes 100 µs instead of 30 to 60 µs.

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
import {
  type AccountChange,
  type AccountTable,
  bytesKey,
  type StoredAccount,
  sameBytes,
} from "./accounts.ts";
import { feeOf, LAMPORTS_PER_SIGNATURE } from "./fee.ts";
import type { ProgramBinary } from "./programs.ts";
import { SLOTS_PER_EPOCH, type Slots } from "./slots.ts";
import { type TransactionError, transactionErrorOf } from "./transaction-error.ts";
import {
  ADDRESS_LOOKUP_TABLE_PROGRAM,
  INSTRUCTIONS_SYSVAR,
  LOADERS,
  NATIVE_MINT,
  NATIVE_MINT_2022,
  SLOT_HASHES_SYSVAR,
  SYSTEM_PROGRAM,
} from "./well-known.ts";
import { loadAddresses, type WireTransaction } from "./wire-transaction.ts";

/** The usual rent, in lamports per byte (solana-rent `DEFAULT_LAMPORTS_PER_BYTE`). */
export const RENT_PER_BYTE = 6_960n;
/** Rent is charged once, not per year (SIMD-0194). */
const EXEMPTION_THRESHOLD = 1;
/** In percent; unused because rent is no longer collected (solana-rent `DEFAULT_BURN_PERCENT`). */
const BURN_PERCENT = 50;

/** Loaded bytes (agave `TRANSACTION_ACCOUNT_BASE_SIZE`, `ADDRESS_LOOKUP_TABLE_BASE_SIZE`). */
const ACCOUNT_BASE_BYTES = 64;
const LOOKUP_TABLE_BYTES = 8_248;

export interface Execution {
  readonly error: TransactionError | null;
  /** The writable accounts after the transaction; empty if it failed. */
  readonly changes: readonly AccountChange[];
  readonly meta: TransactionMetadata;
}

interface AccountSize {
  readonly bytes: number;
  /** The address of an upgradeable program's code (`UpgradeableLoaderState::Program`). */
  readonly code: Uint8Array | null;
}

interface Machine {
  readonly svm: LiteSvm;
  /** The engine whose rent and time are set. */
  user: Engine | null;
  /** The sizes of LiteSVM's own programs, by address. */
  readonly programSizes: Map<string, AccountSize>;
}

const NO_PROGRAMS: readonly ProgramBinary[] = [];
/** By initial programs. Chains with the same ones share one: compiling takes 30 ms or more. */
const machines = new WeakMap<readonly ProgramBinary[], Machine>();

function createMachine(programs: readonly ProgramBinary[]): Machine {
  const svm = new LiteSvm();
  // The ledger, which outlives LiteSVM's memory, is used to check blockhashes and duplicates.
  svm.setBlockhashCheck(false);
  svm.setTransactionHistory(0n);
  const slots = BigInt(SLOTS_PER_EPOCH);
  svm.setEpochSchedule(new EpochSchedule(slots, slots, false, 0n, 0n));
  svm.withNativeMints();
  for (const { programId, bytes } of programs) svm.addProgram(programId.toBytes(), bytes);
  return { svm, user: null, programSizes: new Map() };
}

/**
 * Runs transactions in LiteSVM. LiteSVM's memory holds the ledger's accounts only while a
 * transaction that names them runs, except those of programs, which run without being named. A run
 * changes nothing; {@link Engine.apply} does. Chains share a LiteSVM until one of them deploys a
 * program, which cannot be removed; that chain then gets its own.
 */
export class Engine {
  #machine: Machine;
  /** The ledger's program accounts. */
  readonly #programs = new Set<string>();
  #rentPerByte = RENT_PER_BYTE;
  #lamportsPerSignature = LAMPORTS_PER_SIGNATURE;
  #clockSlot = -1;
  #slotHashesSlot = -1;

  constructor(
    private readonly slots: Slots,
    private readonly kept: AccountTable,
    private readonly programs: readonly ProgramBinary[] = NO_PROGRAMS,
  ) {
    this.#machine = machines.get(programs) ?? createMachine(programs);
    machines.set(programs, this.#machine);
    this.apply(LOADERS.flatMap((loader) => [...kept.ownedBy(loader)]));
  }

  /** LiteSVM with this chain's rent and time. */
  get #svm(): LiteSvm {
    const { svm, user } = this.#machine;
    if (user !== this) {
      this.#machine.user = this;
      this.#clockSlot = -1;
      this.#slotHashesSlot = -1;
      svm.setSlotHashes([]);
      this.setTerms({});
    }
    if (this.#clockSlot !== this.slot) this.#setClock(svm);
    return svm;
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
    const kept = this.kept.get(address);
    if (kept !== null) return kept;
    if (sameBytes(address, SLOT_HASHES_SYSVAR)) this.#syncSlotHashes();
    const account = this.#svm.getAccount(address);
    return account === null ? null : stored(account);
  }

  /** Returns how many bytes a transaction that names these accounts loads (SIMD-0186). */
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
    const isKept = this.kept.balance(address) !== null;
    const known = isKept ? undefined : programSizes.get(key);
    if (known !== undefined) return known;
    const account = this.account(address);
    if (account === null || sameBytes(address, INSTRUCTIONS_SYSVAR))
      return { bytes: 0, code: null };
    const { data, executable } = account;
    const isProgram = isOfProgram(account);
    const code = isProgram && executable && data.length === 36 ? data.subarray(4) : null;
    const size = { bytes: ACCOUNT_BASE_BYTES + data.length, code };
    // Caches LiteSVM's own programs, because reading one copies it.
    if (isProgram && !isKept) programSizes.set(key, size);
    return size;
  }

  balance(address: Uint8Array): bigint {
    // Does not copy the data, which is megabytes for a program.
    return this.kept.balance(address) ?? this.#svm.getBalance(address) ?? 0n;
  }

  setTerms({
    rentPerByte = this.#rentPerByte,
    lamportsPerSignature = this.#lamportsPerSignature,
  }: {
    readonly rentPerByte?: bigint | undefined;
    readonly lamportsPerSignature?: bigint | undefined;
  }): void {
    this.#rentPerByte = rentPerByte;
    this.#lamportsPerSignature = lamportsPerSignature;
    this.#svm.setRent(new Rent(rentPerByte, EXEMPTION_THRESHOLD, BURN_PERCENT));
  }

  feeOf(message: WireMessage): bigint {
    return feeOf(message, this.#lamportsPerSignature);
  }

  rentExemption(bytes: number): bigint {
    return this.#svm.minimumBalanceForRentExemption(BigInt(bytes));
  }

  run(tx: WireTransaction, verifySignatures: boolean): Execution {
    if (readsSlotHashes(tx.message)) this.#syncSlotHashes();
    const svm = this.#svm;
    svm.setSigverify(verifySignatures);
    const result = this.#withAccounts(tx.message, () => {
      this.#takeSurcharge(tx.message);
      return svm.simulateVersionedTransaction(tx.bytes);
    });
    if (result instanceof FailedTransactionMetadata) {
      const error = transactionErrorOf(result);
      // LiteSVM uses one error for a program that may not run and for a missing one.
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

  /** Runs while LiteSVM's memory holds the ledger's accounts that the message names. */
  #withAccounts<Result>(message: WireMessage, run: () => Result): Result {
    const svm = this.#svm;
    const before: (readonly [address: Uint8Array, own: Account])[] = [];
    const load = (addresses: readonly Uint8Array[]) => {
      for (const address of addresses) {
        const account = this.#programs.has(bytesKey(address)) ? null : this.kept.get(address);
        if (account === null) continue;
        before.push([address, svm.getAccount(address) ?? NO_ACCOUNT]);
        svm.setAccount(address, native(account));
      }
    };
    try {
      load(message.staticKeys);
      load(message.lookups.map(({ table }) => table));
      const { writable, readonly } = loadAddresses(message, (table) => this.account(table)?.data);
      load([...writable, ...readonly]);
      return run();
    } finally {
      // In reverse, because an account that is named twice was also saved twice.
      for (const [address, own] of before.reverse()) svm.setAccount(address, own);
    }
  }

  /** Takes lamports from the payer in advance if signatures cost more than LiteSVM charges. */
  #takeSurcharge(message: WireMessage): void {
    const surcharge = this.feeOf(message) - feeOf(message);
    const address = message.staticKeys[0] ?? new Uint8Array();
    const payer = surcharge === 0n ? null : this.kept.get(address);
    if (payer === null) return;
    const left = payer.lamports - surcharge;
    // An account with 1 lamport exists but cannot pay.
    this.#svm.setAccount(address, native({ ...payer, lamports: left > 0n ? left : 1n }));
  }

  #lacksProgram({ instructions, staticKeys }: WireMessage): boolean {
    return instructions.some(({ programIdIndex }) => {
      const program = staticKeys[programIdIndex];
      return program !== undefined && this.balance(program) === 0n;
    });
  }

  apply(changes: readonly AccountChange[]): void {
    const ofPrograms = changes.filter(
      ({ address, account }) => isOfProgram(account) || this.#programs.has(bytesKey(address)),
    );
    if (ofPrograms.length === 0) return;
    if (this.#programs.size === 0) this.#machine = createMachine(this.programs);
    // LiteSVM loads a program when its executable account is set, so program data comes first.
    const ordered = ofPrograms.toSorted(
      (one, other) => Number(one.account.executable) - Number(other.account.executable),
    );
    for (const { address, account } of ordered) {
      this.#svm.setAccount(address, native(account));
      this.#programs.add(bytesKey(address));
    }
  }

  #setClock(svm: LiteSvm): void {
    const { slot } = this;
    const epoch = Math.floor(slot / SLOTS_PER_EPOCH);
    svm.setClock(
      new Clock(
        BigInt(slot),
        BigInt(this.slots.timeOf(epoch * SLOTS_PER_EPOCH)),
        BigInt(epoch),
        BigInt(epoch + 1),
        BigInt(this.slots.timeOf(slot)),
      ),
    );
    this.#clockSlot = slot;
  }

  /** Called only if a transaction reads them: hashing 512 slots takes about a millisecond. */
  #syncSlotHashes(): void {
    const svm = this.#svm;
    if (this.slot === this.#slotHashesSlot) return;
    const hashes = this.slots.recentHashes();
    svm.setSlotHashes(
      hashes.map(({ slot, blockhash }) => ({ slot: BigInt(slot), hash: blockhash })),
    );
    this.#slotHashesSlot = this.slot;
  }
}

const NO_ACCOUNT = new Account(0n, new Uint8Array(), SYSTEM_PROGRAM, false, 0n);

function native({ lamports, data, owner, executable, rentEpoch }: StoredAccount): Account {
  return new Account(lamports, data, owner, executable, rentEpoch);
}

function isOfProgram({ owner }: StoredAccount): boolean {
  return LOADERS.some((loader) => sameBytes(loader, owner));
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
