import { Account, type LiteSvm } from "litesvm/dist/internal";
import { type AccountChange, bytesKey, type StoredAccount, sameBytes } from "./account.ts";
import type { AccountTable } from "./account-table.ts";
import { LOADERS, SYSTEM_PROGRAM } from "./well-known.ts";

export interface ResidentLimits {
  readonly accounts: number;
  readonly bytes: number;
}

const LIMITS: ResidentLimits = { accounts: 8_192, bytes: 32 * 1_024 * 1_024 };

interface Resident {
  readonly address: Uint8Array;
  readonly bytes: number;
  /** Whether the ledger has it. Otherwise it is LiteSVM's own, or does not exist. */
  readonly isKept: boolean;
}

/**
 * The ledger's accounts in LiteSVM's memory: those that transactions used lately. A transaction
 * names all accounts that it may use, so they are loaded before it runs. Only programs run without
 * being named, so accounts of loaders always stay in memory.
 */
export class ResidentAccounts {
  /** By address, least recently used first. */
  readonly #resident = new Map<string, Resident>();
  readonly #programs = new Set<string>();
  /** LiteSVM's own accounts that the ledger's have replaced. */
  readonly #replaced = new Map<string, readonly [address: Uint8Array, own: Account]>();
  #hadPrograms = false;
  #bytes = 0;

  constructor(
    private readonly svm: LiteSvm,
    private readonly kept: AccountTable,
    private readonly limits: ResidentLimits = LIMITS,
  ) {}

  get size(): number {
    let kept = this.#programs.size;
    for (const { isKept } of this.#resident.values()) kept += Number(isKept);
    return kept;
  }

  loadPrograms(): void {
    this.apply(LOADERS.flatMap((loader) => [...this.kept.ownedBy(loader)]));
  }

  /** Whether LiteSVM's memory has the current state of the account, even if it does not exist. */
  has(address: Uint8Array): boolean {
    const key = bytesKey(address);
    return this.#resident.has(key) || this.#programs.has(key);
  }

  /** Loads accounts that a transaction names. They stay until the next {@link evict}. */
  load(addresses: readonly Uint8Array[]): void {
    for (const address of addresses) {
      const key = bytesKey(address);
      if (this.#programs.has(key)) continue;
      const known = this.#resident.get(key);
      if (known !== undefined) {
        this.#resident.delete(key);
        this.#resident.set(key, known);
        continue;
      }
      const account = this.kept.get(address);
      if (account !== null) {
        this.#keepOwn(key, address);
        this.#set(address, account);
      }
      this.#remember(key, address, account);
    }
  }

  apply(changes: readonly AccountChange[]): void {
    // LiteSVM loads a program when its executable account is set; its program data must be there.
    const ordered = changes.toSorted(
      (one, other) => Number(one.account.executable) - Number(other.account.executable),
    );
    for (const { address, account } of ordered) {
      const key = bytesKey(address);
      const isProgram = LOADERS.some((loader) => sameBytes(loader, account.owner));
      if (isProgram) this.#hadPrograms = true;
      else if (!this.#resident.get(key)?.isKept) this.#keepOwn(key, address);
      this.#set(address, account);
      this.#forget(key);
      this.#programs.delete(key);
      if (account.lamports === 0n) this.#remember(key, address, null);
      else if (isProgram) this.#programs.add(key);
      else this.#remember(key, address, account);
    }
  }

  evict(): void {
    for (const [key, { address, isKept }] of this.#resident) {
      if (this.#resident.size <= this.limits.accounts && this.#bytes <= this.limits.bytes) return;
      this.#forget(key);
      if (isKept) this.#set(address, NO_ACCOUNT);
    }
  }

  /**
   * Takes the ledger's accounts out of LiteSVM's memory, which then holds its own.
   *
   * @returns false if that cannot be, because LiteSVM has loaded programs of the ledger
   */
  leave(): boolean {
    if (this.#hadPrograms) return false;
    for (const { address, isKept } of this.#resident.values()) {
      if (isKept) this.#set(address, NO_ACCOUNT);
    }
    for (const [address, own] of this.#replaced.values()) this.svm.setAccount(address, own);
    return true;
  }

  #keepOwn(key: string, address: Uint8Array): void {
    const own = this.#replaced.has(key) ? null : this.svm.getAccount(address);
    if (own !== null) this.#replaced.set(key, [address.slice(), own]);
  }

  #set(address: Uint8Array, account: StoredAccount): void {
    const { lamports, data, owner, executable, rentEpoch } = account;
    this.svm.setAccount(address, new Account(lamports, data, owner, executable, rentEpoch));
  }

  #remember(key: string, address: Uint8Array, account: StoredAccount | null): void {
    const bytes = account?.data.length ?? 0;
    // A copy, because the address may be a view of a large buffer.
    this.#resident.set(key, { address: address.slice(), bytes, isKept: account !== null });
    this.#bytes += bytes;
  }

  #forget(key: string): void {
    this.#bytes -= this.#resident.get(key)?.bytes ?? 0;
    this.#resident.delete(key);
  }
}

const NO_ACCOUNT: StoredAccount = {
  lamports: 0n,
  owner: SYSTEM_PROGRAM,
  data: new Uint8Array(),
  executable: false,
  rentEpoch: 0n,
};
