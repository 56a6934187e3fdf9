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
  RENT_EXEMPT_EPOCH,
  type StoredAccount,
} from "./accounts.ts";
import { feeOf, LAMPORTS_PER_SIGNATURE } from "./fee.ts";
import type { ProgramBinary } from "./programs.ts";
import { SLOTS_PER_EPOCH, type Slots } from "./slots.ts";
import { type TransactionError, transactionErrorOf } from "./transaction-error.ts";
import { NATIVE_MINT, NATIVE_MINT_2022, SYSTEM_PROGRAM } from "./well-known.ts";
import type { WireTransaction } from "./wire-transaction.ts";

/** The usual rent, in lamports per byte (solana-rent `DEFAULT_LAMPORTS_PER_BYTE`). */
export const RENT_PER_BYTE = 6_960n;
/** Rent is charged once, not per year (SIMD-0194). */
const EXEMPTION_THRESHOLD = 1;
/** In percent; unused because rent is no longer collected (solana-rent `DEFAULT_BURN_PERCENT`). */
const BURN_PERCENT = 50;

export interface Execution {
  readonly error: TransactionError | null;
  /** The writable accounts after the transaction; empty if it failed. */
  readonly changes: readonly AccountChange[];
  readonly meta: TransactionMetadata;
}

interface Machine {
  readonly svm: LiteSvm;
  /** The engine whose rent and time are set. */
  user: Engine | null;
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
  return { svm, user: null };
}

/**
 * Runs transactions in LiteSVM, whose memory holds the ledger's accounts only while a transaction
 * that names them runs. A run changes nothing.
 */
export class Engine {
  readonly #machine: Machine;
  #rentPerByte = RENT_PER_BYTE;
  #lamportsPerSignature = LAMPORTS_PER_SIGNATURE;
  #clockSlot = -1;

  constructor(
    private readonly slots: Slots,
    private readonly kept: AccountTable,
    programs: readonly ProgramBinary[] = NO_PROGRAMS,
  ) {
    this.#machine = machines.get(programs) ?? createMachine(programs);
    machines.set(programs, this.#machine);
  }

  /** LiteSVM with this chain's rent and time. */
  get #svm(): LiteSvm {
    const { svm, user } = this.#machine;
    if (user !== this) {
      this.#machine.user = this;
      this.#clockSlot = -1;
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
    const account = kept === null ? this.#svm.getAccount(address) : null;
    return account === null ? kept : stored(account);
  }

  balance(address: Uint8Array): bigint {
    // Does not copy the data, which is megabytes for a program.
    return this.kept.get(address)?.lamports ?? this.#svm.getBalance(address) ?? 0n;
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
    try {
      for (const address of message.staticKeys) {
        const account = this.kept.get(address);
        if (account === null) continue;
        before.push([address, svm.getAccount(address) ?? NO_ACCOUNT]);
        svm.setAccount(address, native(account));
      }
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
}

const NO_ACCOUNT = new Account(0n, new Uint8Array(), SYSTEM_PROGRAM, false, 0n);

function native({ lamports, data, owner, executable }: StoredAccount): Account {
  return new Account(lamports, data, owner, executable, RENT_EXEMPT_EPOCH);
}

function stored(account: Account): StoredAccount {
  return {
    lamports: account.lamports(),
    data: account.data(),
    owner: account.owner(),
    executable: account.executable(),
  };
}
