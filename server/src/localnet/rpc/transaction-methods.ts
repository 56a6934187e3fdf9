import type { LocalChain } from "../chain.ts";
import { STATUS_CACHE_SLOTS } from "../slots.ts";
import type { SignatureStatus } from "../transaction-table.ts";
import {
  asInteger,
  decodeSignature,
  type Methods,
  RPC_CODES,
  RpcError,
  requireConfirmed,
  slotAt,
  withContext,
} from "./method.ts";
import { encodeTransaction, TRANSACTION_GROWTH } from "./transaction-encoding.ts";

/** The most of `getSignatureStatuses` (agave `MAX_GET_SIGNATURE_STATUSES_QUERY_ITEMS`). */
const MAX_SIGNATURE_STATUSES = 256;
/** Of `getSignaturesForAddress` (agave `MAX_GET_CONFIRMED_SIGNATURES_FOR_ADDRESS2_LIMIT`). */
const MAX_HISTORY = 1_000;
/** About how many bytes of the answer one of them takes. */
const HISTORY_ENTRY_BYTES = 256;

export const transactionMethods: Methods = {
  getSignatureStatuses: (chain, params, allowance) => {
    const signatures = params.strings(0, MAX_SIGNATURE_STATUSES);
    allowance.countNames(signatures.length);
    // Without the search a node reads only its cache of recent statuses.
    const oldest =
      params.config(1).searchTransactionHistory === true ? 0 : chain.slot() - STATUS_CACHE_SLOTS;
    const statuses = signatures.map((signature) => {
      decodeSignature(signature);
      const found = chain.transactions.status(signature);
      return found === null || found.slot < oldest ? null : statusOf(chain, found);
    });
    return withContext(chain, { commitment: "processed" }, statuses);
  },

  getSignaturesForAddress: (chain, params, allowance) => {
    const config = requireConfirmed(params.config(1));
    const limit = config.limit == null ? MAX_HISTORY : asInteger(config.limit);
    if (limit === 0 || limit > MAX_HISTORY) {
      throw new RpcError(RPC_CODES.invalidParams, `Invalid limit; max ${MAX_HISTORY}`);
    }
    const known = (name: string): Uint8Array | undefined => {
      const text = config[name];
      if (typeof text !== "string") return undefined;
      const signature = decodeSignature(text);
      if (chain.transactions.status(text) !== null) return signature;
      throw new RpcError(RPC_CODES.filterTransactionNotFound, `Transaction ${text} not found`);
    };
    const range = {
      limit,
      lastSlot: slotAt(chain, config),
      before: known("before"),
      until: known("until"),
    };
    const entries = chain.transactions.of(params.address(0), range);
    allowance.countBytes(entries.length * HISTORY_ENTRY_BYTES);
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

  getTransaction: (chain, params, allowance) => {
    const signature = params.signature(0);
    const config = requireConfirmed(params.config(1));
    const found = chain.getTransaction(signature);
    if (found === null || found.slot > slotAt(chain, config)) return null;
    allowance.countBytes(found.size * TRANSACTION_GROWTH);
    const { slot, blockTime, transactionIndex } = found;
    return { slot, blockTime, transactionIndex, ...encodeTransaction(found, config) };
  },
};

function statusOf(chain: LocalChain, { slot, error, finalized }: SignatureStatus): unknown {
  return {
    slot,
    confirmations: finalized ? null : chain.slot() - slot,
    err: error,
    status: error === null ? { Ok: null } : { Err: error },
    confirmationStatus: finalized ? "finalized" : "confirmed",
  };
}
