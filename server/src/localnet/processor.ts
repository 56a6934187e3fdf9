import { base58 } from "../base/base58.ts";
import type { AccountChange, StoredAccount } from "./account.ts";
import { nameOf, sameAccount } from "./account.ts";
import type { Engine, Execution } from "./engine.ts";
import { stringifyExact } from "./exact-json.ts";
import { feeOf } from "./fee.ts";
import { type LoadedAddresses, loadAddresses } from "./lookup-table.ts";
import type { TransactionError } from "./transaction-error.ts";
import {
  innerInstructionsOf,
  returnDataOf,
  type TransactionMeta,
  tokenBalancesOf,
} from "./transaction-meta.ts";
import type { NewTransaction } from "./transaction-table.ts";
import type { WireTransaction } from "./wire-transaction.ts";

/** What is to be written of a transaction. */
export interface Processed {
  readonly transaction: NewTransaction;
  readonly changes: readonly AccountChange[];
}

/** Errors of loading, for which a cluster charges the fee though nothing ran (SIMD-0082). */
const CHARGED_UNRUN: readonly TransactionError[] = [
  "ProgramAccountNotFound",
  "InvalidProgramForExecution",
  "MaxLoadedAccountsDataSizeExceeded",
];

/** Whether a transaction that ended like this gets into a block: it ran, or it pays nonetheless. */
export function isIncluded({ error, meta }: Execution): boolean {
  if (error === null || CHARGED_UNRUN.includes(error)) return true;
  // LiteSVM fills the signature in only when it ran the transaction.
  return meta.signature().some((byte) => byte !== 0);
}

/** Turns an execution that {@link isIncluded} into what the ledger keeps of it. Changes nothing. */
export function processed(
  engine: Engine,
  tx: WireTransaction,
  execution: Execution,
  slot: number,
): Processed {
  const loaded = loadAddresses(tx.message, (table) => engine.account(table));
  const keys = [...tx.message.staticKeys, ...loaded.writable, ...loaded.readonly];
  const before = accountsBefore(engine, tx, keys);
  const all =
    execution.error === null ? execution.changes : [feeCharge(engine, tx, before.accounts[0])];
  const changed = new Map(all.map(({ address, account }) => [nameOf(address), account]));
  const changes: AccountChange[] = [];
  const accounts = [...before.accounts];
  const balances = [...before.balances];
  for (const [index, address] of keys.entries()) {
    const account = changed.get(nameOf(address));
    if (account === undefined) continue;
    balances[index] = account.lamports;
    accounts[index] = account;
    if (!sameAccount(before.accounts[index] ?? null, account)) changes.push({ address, account });
  }
  const meta = metaOf(execution, loaded, {
    // Lamports are neither made nor lost, so what is missing is what the network took.
    fee: sum(before.balances) - sum(balances),
    preBalances: before.balances,
    postBalances: balances,
    preTokenBalances: tokenBalancesOf(before.accounts, (mint) => engine.account(mint)),
    postTokenBalances: tokenBalancesOf(
      accounts,
      (mint) => changed.get(nameOf(mint)) ?? engine.account(mint),
    ),
  });
  const transaction: NewTransaction = {
    signature: tx.signatures[0] ?? new Uint8Array(),
    messageHash: messageHash(tx),
    slot,
    bytes: tx.bytes,
    error: execution.error === null ? null : JSON.stringify(execution.error),
    meta: stringifyExact(meta),
    addresses: keys,
  };
  return { transaction, changes };
}

/** By this a cluster knows a transaction that it has processed, whatever its signatures. */
export function messageHash(tx: WireTransaction): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(tx.message.bytes).digest();
}

interface Before {
  readonly accounts: readonly (StoredAccount | null)[];
  readonly balances: readonly bigint[];
}

function accountsBefore(engine: Engine, tx: WireTransaction, keys: readonly Uint8Array[]): Before {
  const programs = new Set(tx.message.instructions.map(({ programIdIndex }) => programIdIndex));
  // Programs are megabytes and hold no tokens: their balance is all that is wanted of them.
  const accounts = keys.map((key, index) => (programs.has(index) ? null : engine.account(key)));
  const balances = keys.map((key, index) => accounts[index]?.lamports ?? engine.balance(key));
  return { accounts, balances };
}

/** A failed transaction changes nothing but the balance of who pays its fee. */
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

type Balances = Pick<
  TransactionMeta,
  "fee" | "preBalances" | "postBalances" | "preTokenBalances" | "postTokenBalances"
>;

function metaOf(
  execution: Execution,
  loaded: LoadedAddresses,
  balances: Balances,
): TransactionMeta {
  const { error, meta } = execution;
  const returnData = returnDataOf(meta);
  return {
    err: error,
    status: error === null ? { Ok: null } : { Err: error },
    ...balances,
    innerInstructions: innerInstructionsOf(meta),
    logMessages: meta.logs(),
    rewards: [],
    loadedAddresses: {
      writable: loaded.writable.map(base58.encode),
      readonly: loaded.readonly.map(base58.encode),
    },
    ...(returnData === null ? {} : { returnData }),
    computeUnitsConsumed: Number(meta.computeUnitsConsumed()),
  };
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}
