import {
  ComputeBudgetProgram,
  type Keypair,
  type PublicKey,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
} from "@solana/web3.js";
import { limits } from "@tokenctl/shared/limits";
import {
  joinTransaction,
  readMessage,
  SIGNATURE_BYTES,
  splitTransaction,
  type TransactionConfig,
  writeVersion1,
} from "@tokenctl/shared/wire-transaction";
import type { TransactionVersion } from "@tokenctl/shared/words";
import bs58 from "bs58";
import { signMessage } from "../base/native-keys.ts";

export interface Budget {
  readonly units: number;
  /** The priority fee, in micro-lamports per compute unit. */
  readonly price: bigint;
}

const MICRO_LAMPORTS = 1_000_000n;

export interface FeeCaps {
  readonly maxPriorityMicroLamports: bigint;
  /** The most lamports of fees that one transaction may cost, signatures included. */
  readonly maxTransactionFeeLamports: bigint;
}

/** Lowers a price, in micro-lamports per unit, to the caps. @param fee lamports without it */
export function cappedUnitPrice(
  unitPrice: bigint,
  { units, fee }: { readonly units: number; readonly fee: bigint },
  { maxPriorityMicroLamports, maxTransactionFeeLamports }: FeeCaps,
): bigint {
  const left = maxTransactionFeeLamports - fee;
  const affordable = left > 0n ? (left * MICRO_LAMPORTS) / BigInt(units) : 0n;
  return [maxPriorityMicroLamports, affordable].reduce((a, b) => (a < b ? a : b), unitPrice);
}

/** Returns the priority fee of these units in lamports, rounded up as the runtime does. */
export function priorityLamports(unitPrice: bigint, units: number): bigint {
  return (unitPrice * BigInt(units) + MICRO_LAMPORTS - 1n) / MICRO_LAMPORTS;
}

/** The most compute units that a transaction may request (`MAX_COMPUTE_UNIT_LIMIT` in agave). */
export const MAX_UNITS = 1_400_000;

/** Returns the units to request if a simulation used `units`: the state may still change. */
export function unitsWithMargin(units: number): number {
  return Math.min(MAX_UNITS, Math.ceil(units * 1.2) + 1_000);
}

export interface MessageParts {
  readonly version: TransactionVersion;
  readonly payer: PublicKey;
  readonly instructions: readonly TransactionInstruction[];
  readonly budget: Budget;
  /** Base58. */
  readonly blockhash: string;
}

/** The default of legacy messages, in bytes (agave `MAX_LOADED_ACCOUNTS_DATA_SIZE_BYTES`). */
const LOADED_BYTES = 64 * 1024 * 1024;
/** Source: SIMD-0385. */
const MOST_ACCOUNTS = 64;

/** Returns a message's instructions; a legacy message sets its budget with up to two of its own. */
export function allInstructions({
  version,
  budget: { units, price },
  instructions,
}: Pick<MessageParts, "version" | "budget" | "instructions">): TransactionInstruction[] {
  if (version === 1) return [...instructions];
  const limit = ComputeBudgetProgram.setComputeUnitLimit({ units });
  const setPrice = ComputeBudgetProgram.setComputeUnitPrice({ microLamports: price });
  return [limit, ...(price === 0n ? [] : [setPrice]), ...instructions];
}

/** @throws {RangeError} the message is too long */
export function compileMessage(parts: MessageParts): Uint8Array {
  const { version, budget } = parts;
  const { units, price } = budget;
  const priorityFee = price === 0n ? null : priorityLamports(price, units);
  const config = {
    priorityFee,
    computeUnitLimit: units,
    loadedAccountsDataSizeLimit: LOADED_BYTES,
    heapSize: null,
  };
  return compileAs(version === 1 ? config : null, parts, allInstructions(parts));
}

/** @param config the config of a version 1 message; null for a legacy message */
export function compileAs(
  config: TransactionConfig | null,
  { payer, blockhash }: Pick<MessageParts, "payer" | "blockhash">,
  instructions: readonly TransactionInstruction[],
): Uint8Array {
  const message = new TransactionMessage({
    payerKey: payer,
    recentBlockhash: blockhash,
    instructions: [...instructions],
  }).compileToLegacyMessage();
  // Copied, because web3.js returns a view of a buffer of the maximum size.
  if (config === null) return Uint8Array.from(message.serialize());
  const { header, accountKeys, compiledInstructions } = message;
  if (accountKeys.length > MOST_ACCOUNTS) throw new RangeError("more accounts than may be");
  return writeVersion1({
    requiredSignatures: header.numRequiredSignatures,
    readonlySigned: header.numReadonlySignedAccounts,
    readonlyUnsigned: header.numReadonlyUnsignedAccounts,
    staticKeys: accountKeys.map((key) => key.toBytes()),
    blockhash: bs58.decode(blockhash),
    instructions: compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
      programIdIndex,
      accounts: Uint8Array.from(accountKeyIndexes),
      data,
    })),
    config,
  });
}

/** Returns the message as a transaction without signatures. @throws {RangeError} it is too long */
export function unsignedTransaction(message: Uint8Array): Uint8Array {
  const { requiredSignatures } = readMessage(message);
  const empty = Array.from({ length: requiredSignatures }, () => new Uint8Array(SIGNATURE_BYTES));
  const transaction = joinTransaction({ message, signatures: empty });
  const most = limits.transaction.bytes;
  if (transaction.length > most) throw new RangeError(`more than ${most} bytes`);
  return transaction;
}

/** Puts each signature in its signer's place. @throws {Error} the message does not need a signer */
export function withSignatures(
  transaction: Uint8Array,
  added: readonly { readonly key: PublicKey; readonly signature: Uint8Array }[],
): Uint8Array {
  const { signatures, message } = splitTransaction(transaction);
  const { staticKeys } = readMessage(message);
  const all = [...signatures];
  for (const { key, signature } of added) {
    const place = staticKeys.findIndex((signer) => key.toBuffer().equals(signer));
    if (place < 0 || place >= all.length) throw new Error(`${key} does not sign this transaction`);
    all[place] = signature;
  }
  return joinTransaction({ message, signatures: all });
}

export function signWithKeys(transaction: Uint8Array, keys: readonly Keypair[]): Uint8Array {
  const { message } = splitTransaction(transaction);
  const sign = ({ publicKey, secretKey }: Keypair) => ({
    key: publicKey,
    signature: signMessage(message, secretKey),
  });
  return withSignatures(transaction, keys.map(sign));
}

/** Returns the first signature in base58, by which the cluster identifies the transaction. */
export function nameOf(transaction: Uint8Array): string {
  return bs58.encode(splitTransaction(transaction).signatures[0] ?? new Uint8Array());
}

/** Returns whether instructions fit into a transaction with a compute unit limit and price. */
export function fitsIntoTransaction(
  payer: PublicKey,
  instructions: readonly TransactionInstruction[],
  {
    version = "legacy",
    most = limits.transaction.bytes,
  }: { readonly version?: TransactionVersion; readonly most?: number } = {},
): boolean {
  const blockhash = SystemProgram.programId.toBase58();
  const budget = { units: MAX_UNITS, price: 1n };
  try {
    const message = compileMessage({ version, payer, instructions, budget, blockhash });
    return unsignedTransaction(message).length <= most;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
