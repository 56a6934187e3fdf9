import type { WireMessage } from "@tokenctl/shared/wire-transaction";
import { base58 } from "../../base/base58.ts";
import { STATUS_CACHE_SLOTS } from "../slots.ts";
import type { ProcessedTransaction } from "../transaction-table.ts";
import { parseTransaction, type WireTransaction } from "../wire-transaction.ts";
import {
  asInteger,
  type CallConfig,
  decodeSignature,
  invalidParams,
  type Methods,
  notOffered,
  RPC_CODES,
  RpcError,
  requireConfirmed,
  slotAt,
  withContext,
} from "./method.ts";

/** The limit of `getSignatureStatuses` (agave `MAX_GET_SIGNATURE_STATUSES_QUERY_ITEMS`). */
const MAX_SIGNATURE_STATUSES = 256;
/** agave's `MAX_GET_CONFIRMED_SIGNATURES_FOR_ADDRESS2_LIMIT`. */
const MAX_HISTORY = 1_000;

export const transactionMethods: Methods = {
  getSignatureStatuses: (chain, params) => {
    const signatures = params.strings(0, MAX_SIGNATURE_STATUSES);
    // Without the search, a node reads only its cache of recent statuses.
    const oldest =
      params.config(1).searchTransactionHistory === true ? 0 : chain.slot() - STATUS_CACHE_SLOTS;
    const statuses = signatures.map((signature) => {
      decodeSignature(signature);
      const found = chain.transactions.status(signature);
      if (found === null || found.slot < oldest) return null;
      const { slot, error, finalized } = found;
      return {
        slot,
        confirmations: finalized ? null : chain.slot() - slot,
        err: error,
        status: error === null ? { Ok: null } : { Err: error },
        confirmationStatus: finalized ? "finalized" : "confirmed",
      };
    });
    return withContext(chain, { commitment: "processed" }, statuses);
  },

  getSignaturesForAddress: (chain, params) => {
    const config = requireConfirmed(params.config(1));
    const limit = config.limit == null ? MAX_HISTORY : asInteger(config.limit);
    if (limit === 0 || limit > MAX_HISTORY) {
      throw new RpcError(RPC_CODES.invalidParams, `Invalid limit; max ${MAX_HISTORY}`);
    }
    const seqOf = (text: unknown): bigint | undefined => {
      if (typeof text !== "string") return undefined;
      decodeSignature(text);
      const seq = chain.transactions.seqOf(text);
      if (seq !== undefined) return seq;
      throw new RpcError(RPC_CODES.filterTransactionNotFound, `Transaction ${text} not found`);
    };
    const lastSlot = slotAt(chain, config);
    const [below, above] = [seqOf(config.before), seqOf(config.until)];
    const entries = chain.transactions.of(params.address(0), { limit, lastSlot, below, above });
    return entries.map((found) => ({
      signature: found.signature,
      slot: found.slot,
      err: found.error,
      memo: null,
      blockTime: found.blockTime,
      transactionIndex: found.transactionIndex,
      confirmationStatus: found.finalized ? "finalized" : "confirmed",
    }));
  },

  getTransaction: (chain, params) => {
    const signature = params.signature(0);
    const config = requireConfirmed(params.config(1));
    const found = chain.getTransaction(signature);
    if (found === null || found.slot > slotAt(chain, config)) return null;
    const { slot, blockTime, transactionIndex } = found;
    return { slot, blockTime, transactionIndex, ...encodeTransaction(found, config) };
  },
};

/** An answer's transaction is at most this many times as large as the ledger's. */
export const TRANSACTION_GROWTH = 4;

const MAX_VERSION = 255;

/** Encodes a transaction like agave's `EncodedTransactionWithStatusMeta`. */
function encodeTransaction(found: ProcessedTransaction, config: CallConfig): object {
  const tx = parseTransaction(found.bytes);
  const version = versionOf(tx, config);
  const { meta } = found;
  return { transaction: encoded(tx, config.encoding ?? "json"), meta, ...version };
}

/** Encodes a block's transaction, with only its accounts (agave `UiAccountsList`). */
export function encodeAccountsInBlock(found: ProcessedTransaction, config: CallConfig): object {
  const tx = parseTransaction(found.bytes);
  const version = versionOf(tx, config);
  const { err, status, fee, preBalances, postBalances, preTokenBalances, postTokenBalances } =
    found.meta;
  return {
    transaction: {
      signatures: tx.signatures.map(base58.encode),
      accountKeys: tx.message.staticKeys.map((key, index) => ({
        pubkey: base58.encode(key),
        signer: index < tx.message.requiredSignatures,
        writable:
          index < tx.message.requiredSignatures
            ? index < tx.message.requiredSignatures - tx.message.readonlySigned
            : index < tx.message.staticKeys.length - tx.message.readonlyUnsigned,
        source: "transaction",
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
    ...(message.version === 0 && { addressTableLookups: [] }),
    ...(message.config && { transactionConfig: message.config }),
  };
}
