import { GENESIS_SLOT, SLOTS_PER_EPOCH } from "../slots.ts";
import { parseMessage } from "../wire-transaction.ts";
import {
  API_VERSION,
  invalidParams,
  type Methods,
  parseAddress,
  RPC_CODES,
  RpcError,
  refused,
  requireConfirmed,
  slotAt,
  withContext,
} from "./method.ts";
import { encodeAccountsInBlock, TRANSACTION_GROWTH } from "./transaction-methods.ts";

/** The most slots of `getBlocks` (agave `MAX_GET_CONFIRMED_BLOCKS_RANGE`). */
const MAX_BLOCKS = 500_000;

/** The most accounts of `getRecentPrioritizationFees` (agave `MAX_TX_ACCOUNT_LOCKS`). */
const MAX_LOCKED_ACCOUNTS = 128;

/** Methods about the chain as a whole. Every slot has a block. */
export const clusterMethods: Methods = {
  getHealth: () => "ok",

  getVersion: () => ({ "solana-core": API_VERSION, "feature-set": 0 }),

  getGenesisHash: (chain) => chain.genesisHash(),

  getSlot: (chain, params) => slotAt(chain, params.config(0)),

  getBlockHeight: (chain, params) => chain.blockHeight(slotAt(chain, params.config(0))),

  getEpochInfo: (chain, params) => {
    const slot = slotAt(chain, params.config(0));
    return {
      absoluteSlot: slot,
      blockHeight: chain.blockHeight(slot),
      epoch: Math.floor(slot / SLOTS_PER_EPOCH),
      slotIndex: slot % SLOTS_PER_EPOCH,
      slotsInEpoch: SLOTS_PER_EPOCH,
      transactionCount: chain.transactions.count(),
    };
  },

  getBlockTime: (chain, params) => {
    const slot = params.integer(0);
    if (slot < GENESIS_SLOT || slot > chain.slot()) throw noBlock(slot);
    return chain.slots.timeOf(slot);
  },

  getBlocks: (chain, params) => {
    const first = Math.max(params.integer(0), GENESIS_SLOT);
    const last = Math.min(params.integer(1), slotAt(chain, requireConfirmed(params.config(2))));
    if (last - first > MAX_BLOCKS) throw invalidParams(`Slot range too large; max ${MAX_BLOCKS}`);
    const length = Math.max(0, last - first + 1);
    return Array.from({ length }, (_, index) => first + index);
  },

  getBlock: (chain, params, allowance) => {
    const slot = params.integer(0);
    const config = requireConfirmed(params.config(1));
    if (slot < GENESIS_SLOT || slot > slotAt(chain, config)) throw noBlock(slot);
    if (config.transactionDetails !== "accounts" || config.rewards !== false) {
      throw refused("of a block this chain offers the accounts, without rewards");
    }
    const found = chain.transactions.inSlot(slot);
    for (const { size } of found) allowance.countBytes(size * TRANSACTION_GROWTH);
    const { blockhash } = chain.latestBlockhash(slot);
    const parentSlot = Math.max(GENESIS_SLOT, slot - 1);
    return {
      blockHeight: chain.blockHeight(slot),
      blockTime: chain.slots.timeOf(slot),
      blockhash,
      parentSlot,
      previousBlockhash: chain.latestBlockhash(parentSlot).blockhash,
      transactions: found.map((each) => encodeAccountsInBlock(each, config)),
    };
  },

  getLatestBlockhash: (chain, params) => {
    const config = params.config(0);
    return withContext(chain, config, chain.latestBlockhash(slotAt(chain, config)));
  },

  getFeeForMessage: (chain, params) => {
    const message = Buffer.from(params.string(0), "base64");
    return withContext(chain, params.config(1), chain.feeOf(parseMessage(message)));
  },

  // This chain's blocks are never full, so no transaction needs a priority fee.
  getRecentPrioritizationFees: (chain, params) => {
    if (params.has(0)) params.strings(0, MAX_LOCKED_ACCOUNTS).map(parseAddress);
    return [{ slot: chain.slot(), prioritizationFee: 0 }];
  },

  getMinimumBalanceForRentExemption: (chain, params) => chain.rentExemption(params.integer(0)),
};

function noBlock(slot: number): RpcError {
  return new RpcError(RPC_CODES.blockNotAvailable, `Block not available for slot ${slot}`);
}
