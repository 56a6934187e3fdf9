import type { TokenAmount, TokenBalance } from "@solana/web3.js";
import * as token from "@tokenctl/shared/programs/token";
import type { TransactionMetadata } from "litesvm/dist/internal";
import { base58 } from "../base/base58.ts";
import {
  type AccountChange,
  addressBytes,
  bytesKey,
  type StoredAccount,
  sameAccount,
  sameBytes,
} from "./accounts.ts";
import type { Engine, Execution } from "./engine.ts";
import { stringifyExact } from "./exact-json.ts";
import type { TransactionError } from "./transaction-error.ts";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "./well-known.ts";
import type { WireTransaction } from "./wire-transaction.ts";

/** agave's `UiTransactionStatusMeta`, with a bigint for lamports that a double cannot hold. */
export interface TransactionMeta {
  readonly err: TransactionError | null;
  readonly status: { readonly Ok: null } | { readonly Err: TransactionError };
  readonly fee: number | bigint | null;
  readonly preBalances: readonly (number | bigint)[];
  readonly postBalances: readonly (number | bigint)[];
  readonly innerInstructions: ReturnType<typeof innerInstructionsOf>;
  readonly logMessages: readonly string[];
  readonly preTokenBalances: readonly TokenBalance[];
  readonly postTokenBalances: readonly TokenBalance[];
  readonly rewards: readonly [];
  readonly loadedAddresses: typeof NO_LOADED_ADDRESSES;
  readonly returnData?: ReturnType<typeof returnDataOf>;
  readonly computeUnitsConsumed: number;
}

/** This chain offers no lookup tables. */
export const NO_LOADED_ADDRESSES = { writable: [], readonly: [] } as const;

function innerInstructionsOf(meta: TransactionMetadata) {
  return meta.innerInstructions().flatMap((inner, index) => {
    if (inner.length === 0) return [];
    const instructions = inner.map((item) => {
      const instruction = item.instruction();
      return {
        programIdIndex: instruction.programIdIndex(),
        accounts: [...instruction.accounts()],
        data: base58.encode(instruction.data()),
        stackHeight: item.stackHeight(),
      };
    });
    return [{ index, instructions }];
  });
}

export function returnDataOf(meta: TransactionMetadata) {
  const returned = meta.returnData();
  const data = returned.data();
  if (data.length === 0) return null;
  const programId = base58.encode(returned.programId());
  return { programId, data: [Buffer.from(data).toString("base64"), "base64"] as const };
}

/** @param accounts in the transaction's order; null for an account without tokens */
function tokenBalancesOf(
  accounts: readonly (StoredAccount | null)[],
  mintOf: (mint: Uint8Array) => StoredAccount | null,
): TokenBalance[] {
  return accounts.flatMap((account, accountIndex) => {
    const held = readTokenAccount(account);
    const found = held && readMint(mintOf(addressBytes(held.mint)));
    if (account === null || held === null || found === null) return [];
    const { mint, owner, amount } = held;
    const programId = base58.encode(account.owner);
    const shown = uiTokenAmount(amount, found.decimals);
    return [{ accountIndex, mint, owner, programId, uiTokenAmount: shown }];
  });
}

/** Returns null unless it is an initialized account of SPL Token or Token-2022. */
export function readTokenAccount(account: StoredAccount | null) {
  return token.readTokenAccount(shown(account));
}

export function readMint(account: StoredAccount | null) {
  return token.readMint(shown(account));
}

/** Returns null for other programs, to avoid encoding their addresses. */
function shown(account: StoredAccount | null) {
  if (account === null || !isTokenProgram(account.owner)) return null;
  return { owner: base58.encode(account.owner), data: account.data };
}

export function isTokenProgram(program: Uint8Array): boolean {
  return sameBytes(program, TOKEN_PROGRAM) || sameBytes(program, TOKEN_2022_PROGRAM);
}

export function uiTokenAmount(amount: bigint, decimals: number): TokenAmount {
  const digits = amount.toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  const uiAmountString = fraction === "" ? whole : `${whole}.${fraction}`;
  return { amount: amount.toString(), decimals, uiAmount: Number(uiAmountString), uiAmountString };
}

/** Load errors for which a cluster charges the fee although nothing ran (SIMD-0082). */
const CHARGED_LOAD_ERRORS: readonly TransactionError[] = [
  "ProgramAccountNotFound",
  "InvalidProgramForExecution",
  "MaxLoadedAccountsDataSizeExceeded",
];

/** Returns whether a transaction gets into a block: it ran, or only pays its fee. */
function isIncluded({ error, meta }: Execution): boolean {
  if (error === null || CHARGED_LOAD_ERRORS.includes(error)) return true;
  // LiteSVM sets the signature only if the transaction ran.
  return meta.signature().some((byte) => byte !== 0);
}

/** A transaction's effects on its accounts, as simulations and `meta` report them. */
export interface Effects {
  readonly changes: readonly AccountChange[];
  /** Null if the transaction gets into no block. */
  readonly fee: bigint | null;
  readonly balances: Pick<
    TransactionMeta,
    "preBalances" | "postBalances" | "preTokenBalances" | "postTokenBalances"
  >;
}

/** @param execution null if it did not run */
export function effectsOf(
  engine: Engine,
  tx: WireTransaction,
  execution: Execution | null,
): Effects {
  const addresses = tx.message.staticKeys;
  const before = accountsBefore(engine, tx);
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
  for (const [index, address] of addresses.entries()) {
    const account = changed.get(bytesKey(address));
    if (account === undefined) continue;
    postBalances[index] = account.lamports;
    accounts[index] = account;
    if (!sameAccount(before.accounts[index] ?? null, account)) changes.push({ address, account });
  }
  const mintAfter = (mint: Uint8Array) => changed.get(bytesKey(mint)) ?? engine.account(mint);
  return {
    changes,
    fee,
    balances: {
      preBalances: before.balances,
      postBalances,
      preTokenBalances: tokenBalancesOf(before.accounts, (mint) => engine.account(mint)),
      postTokenBalances: tokenBalancesOf(accounts, mintAfter),
    },
  };
}

export function toLedgerRecord(
  tx: WireTransaction,
  slot: number,
  { execution, effects }: { readonly execution: Execution; readonly effects: Effects },
) {
  const { fee, balances } = effects;
  const { error } = execution;
  const returnData = returnDataOf(execution.meta);
  const meta: TransactionMeta = {
    err: error,
    status: error === null ? { Ok: null } : { Err: error },
    fee,
    ...balances,
    loadedAddresses: NO_LOADED_ADDRESSES,
    innerInstructions: innerInstructionsOf(execution.meta),
    logMessages: execution.meta.logs(),
    rewards: [],
    ...(returnData && { returnData }),
    computeUnitsConsumed: Number(execution.meta.computeUnitsConsumed()),
  };
  return {
    signature: tx.signatures[0] ?? new Uint8Array(),
    messageHash: messageHash(tx),
    slot,
    bytes: tx.bytes,
    error: error === null ? null : JSON.stringify(error),
    meta: stringifyExact(meta),
    addresses: tx.message.staticKeys,
  };
}

/** A cluster recognises a processed transaction by this hash, which covers no signatures. */
export function messageHash(tx: WireTransaction): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(tx.message.bytes).digest();
}

function accountsBefore(engine: Engine, { message }: WireTransaction) {
  const keys = message.staticKeys;
  const programs = new Set(message.instructions.map(({ programIdIndex }) => programIdIndex));
  // Programs have megabytes and no tokens, so only their balance is read.
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
  const lamports = account.lamports - engine.feeOf(tx.message);
  return { address, account: { ...account, lamports } };
}
