import { GENESIS_SLOT } from "../slots.ts";
import type { ProcessedTransaction } from "../transaction-table.ts";
import type { Allowance } from "./allowance.ts";
import { type Config, commitmentOf, type Methods, slotAt } from "./method.ts";
import { invalidParams, RPC_CODES, RpcError } from "./rpc-error.ts";
import {
  encodeAccountsInBlock,
  encodeInBlock,
  TRANSACTION_GROWTH,
} from "./transaction-encoding.ts";

/** The most slots of `getBlocks` (agave `MAX_GET_CONFIRMED_BLOCKS_RANGE`). */
const MAX_RANGE = 500_000;

/** Methods about blocks. Every slot has one. */
export const blockMethods: Methods = {
  getBlocks: (chain, params) => {
    const [first, last] = [params.integer(0), params.integer(1)];
    const end = Math.min(last, slotAt(chain, confirmed(params.config(2))));
    if (end - first > MAX_RANGE) throw invalidParams(`Slot range too large; max ${MAX_RANGE}`);
    const start = Math.max(first, GENESIS_SLOT);
    return Array.from({ length: Math.max(0, end - start + 1) }, (_, index) => start + index);
  },

  getBlock: (chain, params, allowance) => {
    const slot = params.integer(0);
    const config = confirmed(params.config(1));
    if (slot < GENESIS_SLOT || slot > slotAt(chain, config)) {
      throw new RpcError(RPC_CODES.blockNotAvailable, `Block not available for slot ${slot}`);
    }
    const { blockhash } = chain.latestBlockhash(slot);
    const parentSlot = Math.max(GENESIS_SLOT, slot - 1);
    return {
      blockHeight: chain.blockHeight(slot),
      blockTime: chain.timeOf(slot),
      blockhash,
      parentSlot,
      previousBlockhash: chain.latestBlockhash(parentSlot).blockhash,
      ...contentOf(chain.transactions.inSlot(slot), config, allowance),
      ...(config.rewards === false ? {} : { rewards: [] }),
    };
  },
};

function confirmed(config: Config): Config {
  if (commitmentOf(config) !== "processed") return config;
  throw invalidParams("Method does not support commitment below `confirmed`");
}

function contentOf(found: ProcessedTransaction[], config: Config, allowance: Allowance) {
  const { transactionDetails = "full" } = config;
  if (transactionDetails === "none") return {};
  if (transactionDetails === "signatures") {
    return { signatures: found.map(({ signature }) => signature) };
  }
  if (transactionDetails !== "full" && transactionDetails !== "accounts") {
    throw invalidParams(`unknown variant \`${String(transactionDetails)}\``);
  }
  for (const { size } of found) allowance.countBytes(size * TRANSACTION_GROWTH);
  return {
    transactions: found.map((each) =>
      transactionDetails === "accounts"
        ? encodeAccountsInBlock(each, config)
        : encodeInBlock(each, config),
    ),
  };
}
