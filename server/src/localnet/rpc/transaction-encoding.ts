import type { WireMessage } from "@tokenctl/shared/wire-transaction";
import { base58 } from "../../base/base58.ts";
import type { ProcessedTransaction } from "../transaction-table.ts";
import { parseTransaction, type WireTransaction } from "../wire-transaction.ts";
import { type CallConfig, invalidParams, notOffered, RPC_CODES, RpcError } from "./method.ts";

/** A transaction in an answer is at most this many times as large as in the ledger. */
export const TRANSACTION_GROWTH = 4;

const MAX_VERSION = 255;

/** Writes a transaction as in agave's `EncodedTransactionWithStatusMeta`. */
export function encodeTransaction(found: ProcessedTransaction, config: CallConfig): object {
  const tx = parseTransaction(found.bytes);
  const version = versionOf(tx, config);
  const { meta } = found;
  return { transaction: encoded(tx, config.encoding ?? "json"), meta, ...version };
}

/** Of a block, with the accounts alone (agave `UiAccountsList`). */
export function encodeAccountsInBlock(found: ProcessedTransaction, config: CallConfig): object {
  const tx = parseTransaction(found.bytes);
  const version = versionOf(tx, config);
  const { err, status, fee, preBalances, postBalances, preTokenBalances, postTokenBalances } =
    found.meta;
  return {
    transaction: {
      signatures: tx.signatures.map(base58.encode),
      accountKeys: allKeys(tx.message, found).map((pubkey, index) => ({
        pubkey,
        signer: index < tx.message.requiredSignatures,
        writable: isWritable(tx.message, found, index),
        source: index < tx.message.staticKeys.length ? "transaction" : "lookupTable",
      })),
    },
    meta: { err, status, fee, preBalances, postBalances, preTokenBalances, postTokenBalances },
    ...version,
  };
}

function versionOf({ message: { version } }: WireTransaction, config: CallConfig): object {
  const highest = config.maxSupportedTransactionVersion;
  if (typeof highest === "number" && highest > MAX_VERSION) {
    throw invalidParams(`invalid value: integer \`${highest}\`, expected u8`);
  }
  if (version !== "legacy" && (typeof highest !== "number" || version > highest)) {
    throw new RpcError(
      RPC_CODES.unsupportedTransactionVersion,
      `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`,
    );
  }
  return highest == null ? {} : { version };
}

function encoded(tx: WireTransaction, encoding: unknown): unknown {
  switch (encoding) {
    case "base64":
      return [Buffer.from(tx.bytes).toString("base64"), "base64"];
    case "json":
      return { signatures: tx.signatures.map(base58.encode), message: jsonMessage(tx.message) };
    default:
      throw notOffered("base64 and json");
  }
}

function jsonMessage(message: WireMessage): unknown {
  return {
    header: {
      numRequiredSignatures: message.requiredSignatures,
      numReadonlySignedAccounts: message.readonlySigned,
      numReadonlyUnsignedAccounts: message.readonlyUnsigned,
    },
    accountKeys: message.staticKeys.map(base58.encode),
    recentBlockhash: base58.encode(message.blockhash),
    instructions: message.instructions.map(({ programIdIndex, accounts, data }) => ({
      programIdIndex,
      accounts: [...accounts],
      data: base58.encode(data),
      stackHeight: 1,
    })),
    ...(message.version === 0 && {
      addressTableLookups: message.lookups.map(({ table, writable, readonly }) => ({
        accountKey: base58.encode(table),
        writableIndexes: [...writable],
        readonlyIndexes: [...readonly],
      })),
    }),
    ...(message.config && { transactionConfig: message.config }),
  };
}

function allKeys(message: WireMessage, { meta }: ProcessedTransaction): string[] {
  const { writable, readonly } = meta.loadedAddresses;
  return [...message.staticKeys.map(base58.encode), ...writable, ...readonly];
}

function isWritable(message: WireMessage, { meta }: ProcessedTransaction, index: number): boolean {
  const statics = message.staticKeys.length;
  if (index >= statics) return index < statics + meta.loadedAddresses.writable.length;
  return index < message.requiredSignatures
    ? index < message.requiredSignatures - message.readonlySigned
    : index < statics - message.readonlyUnsigned;
}
