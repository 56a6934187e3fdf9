import { base58 } from "../base/base58.ts";
import { type AccountChange, bytesKey, type StoredAccount, sameAccount } from "./account.ts";
import type { Engine, Execution } from "./engine.ts";
import { stringifyExact } from "./exact-json.ts";
import { feeOf } from "./fee.ts";
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

export function toLedgerRecord(engine: Engine, tx: WireTransaction, execution: Execution) {
  const loaded = loadAddresses(tx.message, (table) => engine.account(table)?.data);
  const keys = [...tx.message.staticKeys, ...loaded.writable, ...loaded.readonly];
  const before = accountsBefore(engine, tx, keys);
  const all =
    execution.error === null ? execution.changes : [feeCharge(engine, tx, before.accounts[0])];
  const changed = new Map(all.map(({ address, account }) => [bytesKey(address), account]));
  const changes: AccountChange[] = [];
  const accounts = [...before.accounts];
  const balances = [...before.balances];
  for (const [index, address] of keys.entries()) {
    const account = changed.get(bytesKey(address));
    if (account === undefined) continue;
    balances[index] = account.lamports;
    accounts[index] = account;
    if (!sameAccount(before.accounts[index] ?? null, account)) changes.push({ address, account });
  }
  const { error } = execution;
  const returnData = returnDataOf(execution.meta);
  const meta: TransactionMeta = {
    err: error,
    status: error === null ? { Ok: null } : { Err: error },
    // Transactions neither create nor destroy lamports, so the difference is the fee.
    fee: sum(before.balances) - sum(balances),
    preBalances: before.balances,
    postBalances: balances,
    preTokenBalances: tokenBalancesOf(before.accounts, (mint) => engine.account(mint)),
    postTokenBalances: tokenBalancesOf(
      accounts,
      (mint) => changed.get(bytesKey(mint)) ?? engine.account(mint),
    ),
    innerInstructions: innerInstructionsOf(execution.meta),
    logMessages: execution.meta.logs(),
    rewards: [],
    loadedAddresses: {
      writable: loaded.writable.map(base58.encode),
      readonly: loaded.readonly.map(base58.encode),
    },
    ...(returnData && { returnData }),
    computeUnitsConsumed: Number(execution.meta.computeUnitsConsumed()),
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
  return { address, account: { ...account, lamports: account.lamports - feeOf(tx.message) } };
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}
