import type { TokenBalance } from "@solana/web3.js";
import { base58 } from "../base/base58.ts";
import { type AccountChange, bytesKey, type StoredAccount, sameAccount } from "./account.ts";
import type { Engine, Execution } from "./engine.ts";
import { stringifyExact } from "./exact-json.ts";
import { costUnits } from "./fee.ts";
import type { TransactionError } from "./transaction-error.ts";
import {
  innerInstructionsOf,
  returnDataOf,
  type TransactionMeta,
  tokenBalancesOf,
} from "./transaction-meta.ts";
import type { NewTransaction } from "./transaction-table.ts";
import { loadAddresses, type WireTransaction } from "./wire-transaction.ts";

/** Errors of loading, for which a cluster charges the fee though nothing ran (SIMD-0082). */
const CHARGED_LOAD_ERRORS: readonly TransactionError[] = [
  "ProgramAccountNotFound",
  "InvalidProgramForExecution",
  "MaxLoadedAccountsDataSizeExceeded",
];

/** Whether a transaction gets into a block: it ran, or it pays its fee anyway. */
export function isIncluded({ error, meta }: Execution): boolean {
  if (error === null || CHARGED_LOAD_ERRORS.includes(error)) return true;
  // LiteSVM sets the signature only if it ran the transaction.
  return meta.signature().some((byte) => byte !== 0);
}

/** The accounts of a transaction before and after it, as simulations and `meta` report them. */
export interface Effects {
  /** Null if the transaction gets into no block. */
  readonly fee: bigint | null;
  readonly preBalances: readonly bigint[];
  readonly postBalances: readonly bigint[];
  readonly preTokenBalances: TokenBalance[];
  readonly postTokenBalances: TokenBalance[];
  readonly loadedAddresses: TransactionMeta["loadedAddresses"];
}

/**
 * @param execution null for a transaction that does not run
 * @returns also the transaction's addresses, and the accounts that it changed
 */
export function effectsOf(engine: Engine, tx: WireTransaction, execution: Execution | null) {
  const loaded = loadAddresses(tx.message, (table) => engine.account(table)?.data);
  const keys = [...tx.message.staticKeys, ...loaded.writable, ...loaded.readonly];
  const before = accountsBefore(engine, tx, keys);
  const isCharged = execution !== null && isIncluded(execution);
  const fee = isCharged ? engine.feeOf(tx.message) : null;
  const all =
    isCharged && execution.error !== null
      ? [feeCharge(engine, tx, before.accounts[0])]
      : (execution?.changes ?? []);
  const changed = new Map(all.map(({ address, account }) => [bytesKey(address), account]));
  const changes: AccountChange[] = [];
  const accounts = [...before.accounts];
  const postBalances = [...before.balances];
  for (const [index, address] of keys.entries()) {
    const account = changed.get(bytesKey(address));
    if (account === undefined) continue;
    postBalances[index] = account.lamports;
    accounts[index] = account;
    if (!sameAccount(before.accounts[index] ?? null, account)) changes.push({ address, account });
  }
  const effects: Effects = {
    fee,
    preBalances: before.balances,
    postBalances,
    preTokenBalances: tokenBalancesOf(before.accounts, (mint) => engine.account(mint)),
    postTokenBalances: tokenBalancesOf(
      accounts,
      (mint) => changed.get(bytesKey(mint)) ?? engine.account(mint),
    ),
    loadedAddresses: {
      writable: loaded.writable.map(base58.encode),
      readonly: loaded.readonly.map(base58.encode),
    },
  };
  return { keys, changes, effects };
}

/** @param execution of a transaction that gets into a block */
export function toLedgerRecord(engine: Engine, tx: WireTransaction, execution: Execution) {
  const { keys, changes, effects } = effectsOf(engine, tx, execution);
  const { error } = execution;
  const returnData = returnDataOf(execution.meta);
  const units = execution.meta.computeUnitsConsumed();
  const loadedBytes = BigInt(engine.loadedBytes(tx.message, keys));
  const meta: TransactionMeta = {
    err: error,
    status: error === null ? { Ok: null } : { Err: error },
    ...effects,
    innerInstructions: innerInstructionsOf(execution.meta),
    logMessages: execution.meta.logs(),
    rewards: [],
    ...(returnData && { returnData }),
    computeUnitsConsumed: Number(units),
    costUnits: Number(costUnits(tx.message, { units, loadedBytes })),
  };
  const transaction: NewTransaction = {
    signature: tx.signatures[0] ?? new Uint8Array(),
    messageHash: messageHash(tx),
    slot: engine.slot,
    bytes: tx.bytes,
    error: error === null ? null : JSON.stringify(error),
    meta: stringifyExact(meta),
    addresses: keys,
  };
  return { transaction, changes };
}

/** A cluster recognises a processed transaction by this hash, whatever its signatures. */
export function messageHash(tx: WireTransaction): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(tx.message.bytes).digest();
}

function accountsBefore(engine: Engine, tx: WireTransaction, keys: readonly Uint8Array[]) {
  const programs = new Set(tx.message.instructions.map(({ programIdIndex }) => programIdIndex));
  // Programs are megabytes and hold no tokens: only their balance is read.
  const accounts = keys.map((key, index) => (programs.has(index) ? null : engine.account(key)));
  const balances = keys.map((key, index) => accounts[index]?.lamports ?? engine.balance(key));
  return { accounts, balances };
}

function feeCharge(
  engine: Engine,
  tx: WireTransaction,
  payer: StoredAccount | null | undefined,
): AccountChange {
  const address = tx.message.staticKeys[0] ?? new Uint8Array();
  const account = payer ?? engine.account(address);
  if (account === null) throw new Error("a transaction was charged without a fee payer");
  return {
    address,
    account: { ...account, lamports: account.lamports - engine.feeOf(tx.message) },
  };
}
