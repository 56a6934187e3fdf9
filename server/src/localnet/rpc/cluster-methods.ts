import { base58 } from "../../base/base58.ts";
import { feeOf } from "../fee.ts";
import { GENESIS_SLOT, SLOTS_PER_EPOCH } from "../slots.ts";
import { MalformedTransactionError, parseMessage } from "../wire-transaction.ts";
import { API_VERSION, type Methods, slotAt, withContext } from "./method.ts";
import { invalidParams, RPC_CODES, RpcError } from "./rpc-error.ts";

/** The slots of `getRecentPrioritizationFees` (agave `MAX_NUM_RECENT_BLOCKS`). */
const PRIORITIZATION_FEE_SLOTS = 150;

export const clusterMethods: Methods = {
  getHealth: () => "ok",

  getVersion: () => ({ "solana-core": API_VERSION, "feature-set": 0 }),

  getGenesisHash: (chain) => chain.genesisHash(),

  getSlot: (chain, params) => slotAt(chain, params.config(0)),

  getBlockHeight: (chain, params) => chain.blockHeight(slotAt(chain, params.config(0))),

  getTransactionCount: (chain, params) => {
    slotAt(chain, params.config(0));
    return chain.transactions.count();
  },

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
    if (slot > 0 && slot < GENESIS_SLOT) {
      throw new RpcError(
        RPC_CODES.slotSkipped,
        `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`,
      );
    }
    if (slot > chain.slot()) {
      throw new RpcError(RPC_CODES.blockNotAvailable, `Block not available for slot ${slot}`);
    }
    return chain.timeOf(slot);
  },

  getLatestBlockhash: (chain, params) => {
    const config = params.config(0);
    return withContext(chain, config, chain.latestBlockhash(slotAt(chain, config)));
  },

  isBlockhashValid: (chain, params) => {
    const blockhash = params.string(0);
    if (base58.decode(blockhash, 32) === null) throw invalidParams("Invalid");
    return withContext(chain, params.config(1), chain.isBlockhashValid(blockhash));
  },

  getFeeForMessage: (chain, params) => {
    const message = Buffer.from(params.string(0), "base64");
    try {
      return withContext(chain, params.config(1), feeOf(parseMessage(message)));
    } catch (error) {
      if (error instanceof MalformedTransactionError) throw invalidParams(error.message);
      throw error;
    }
  },

  // Blocks of this chain are never full, so no transaction needs a priority fee.
  getRecentPrioritizationFees: (chain) => {
    const latest = chain.slot();
    const count = Math.min(PRIORITIZATION_FEE_SLOTS, chain.blockHeight(latest) + 1);
    return Array.from({ length: count }, (_, back) => ({
      slot: latest - count + 1 + back,
      prioritizationFee: 0,
    }));
  },

  getMinimumBalanceForRentExemption: (chain, params) => chain.rentExemption(params.integer(0)),
};
