import { Account, type LiteSvm } from "litesvm/dist/internal";
import { type AccountChange, nameOf, type StoredAccount, sameBytes } from "./account.ts";
import type { AccountTable } from "./account-table.ts";
import { LOADERS, SYSTEM_PROGRAM } from "./well-known.ts";

/** How many accounts stay in memory between transactions, and how much data. */
export interface ResidentLimits {
  readonly accounts: number;
  readonly bytes: number;
}

const LIMITS: ResidentLimits = { accounts: 8_192, bytes: 32 * 1_024 * 1_024 };

interface Resident {
  readonly address: Uint8Array;
  readonly bytes: number;
  /** Whether LiteSVM has it from the ledger; otherwise it is LiteSVM's own, or there is none. */
  readonly isKept: boolean;
}

/**
 * The ledger's accounts in LiteSVM's memory: those that transactions used lately. All accounts that
 * a transaction may use are named in it, so they are brought there before it runs. Only programs
 * are executed without being named; what loaders own stays in memory for good.
 */
export class ResidentAccounts {
  readonly #svm: LiteSvm;
  readonly #kept: AccountTable;
  readonly #limits: ResidentLimits;
  /** By address, those that were used longest ago first. */
  readonly #resident = new Map<string, Resident>();
  readonly #programs = new Set<string>();
  #bytes = 0;

  /** @param kept the ledger's accounts, which change only together with {@link apply} */
  constructor(svm: LiteSvm, kept: AccountTable, limits: ResidentLimits = LIMITS) {
    this.#svm = svm;
    this.#kept = kept;
    this.#limits = limits;
  }

  /** How many of the ledger's accounts are in memory. */
  get size(): number {
    let kept = this.#programs.size;
    for (const { isKept } of this.#resident.values()) kept += Number(isKept);
    return kept;
  }

  /** Brings in the programs that were deployed by transactions. */
  loadPrograms(): void {
    this.apply(LOADERS.flatMap((loader) => [...this.#kept.ownedBy(loader)]));
  }

  /** Whether LiteSVM's memory tells what the account is. */
  has(address: Uint8Array): boolean {
    const name = nameOf(address);
    return this.#resident.has(name) || this.#programs.has(name);
  }

  /** Brings in accounts that a transaction names. They stay until the next {@link evict}. */
  load(addresses: readonly Uint8Array[]): void {
    for (const address of addresses) {
      const name = nameOf(address);
      if (this.#programs.has(name)) continue;
      const known = this.#resident.get(name);
      if (known !== undefined) {
        this.#resident.delete(name);
        this.#resident.set(name, known);
        continue;
      }
      const account = this.#kept.get(address);
      if (account !== null) this.#set(address, account);
      this.#remember(name, address, account);
    }
  }

  /** Makes the accounts what the changes say; an account without lamports is removed. */
  apply(changes: readonly AccountChange[]): void {
    // An executable account is loaded when it is set, and its program data must be there by then.
    const ordered = changes.toSorted(
      (one, other) => Number(one.account.executable) - Number(other.account.executable),
    );
    for (const { address, account } of ordered) {
      const name = nameOf(address);
      this.#set(address, account);
      this.#forget(name);
      this.#programs.delete(name);
      if (account.lamports === 0n) this.#remember(name, address, null);
      else if (LOADERS.some((loader) => sameBytes(loader, account.owner))) this.#programs.add(name);
      else this.#remember(name, address, account);
    }
  }

  /** Lets go of what was used longest ago, down to the limits. */
  evict(): void {
    for (const [name, { address, isKept }] of this.#resident) {
      if (this.#resident.size <= this.#limits.accounts && this.#bytes <= this.#limits.bytes) return;
      this.#forget(name);
      if (isKept) this.#set(address, NO_ACCOUNT);
    }
  }

  #set(address: Uint8Array, account: StoredAccount): void {
    const { lamports, data, owner, executable, rentEpoch } = account;
    this.#svm.setAccount(address, new Account(lamports, data, owner, executable, rentEpoch));
  }

  #remember(name: string, address: Uint8Array, account: StoredAccount | null): void {
    const bytes = account?.data.length ?? 0;
    // A copy: what is given may be a piece of something large.
    this.#resident.set(name, { address: address.slice(), bytes, isKept: account !== null });
    this.#bytes += bytes;
  }

  #forget(name: string): void {
    this.#bytes -= this.#resident.get(name)?.bytes ?? 0;
    this.#resident.delete(name);
  }
}

const NO_ACCOUNT: StoredAccount = {
  lamports: 0n,
  owner: SYSTEM_PROGRAM,
  data: new Uint8Array(),
  executable: false,
  rentEpoch: 0n,
};
