import type { LocalChain } from "../chain.ts";
import type { Allowance } from "./allowance.ts";
import { type Config, commitmentOf, type Params, requireMinContextSlot } from "./params.ts";

/** One RPC method. Returns the result, or throws an {@link RpcError}. */
type Method = (chain: LocalChain, params: Params, allowance: Allowance) => unknown;

export type Methods = Readonly<Record<string, Method>>;

export interface WithContext<Value> {
  readonly context: { readonly slot: number; readonly apiVersion: string };
  readonly value: Value;
}

/** The answers follow this version of agave. */
export const API_VERSION = "3.0.0";

/**
 * The slot of a call's commitment. Accounts are always the latest: this chain has no forks, so
 * everything processed becomes final.
 */
export function slotAt(chain: LocalChain, config: Config): number {
  const slot = commitmentOf(config) === "finalized" ? chain.finalizedSlot() : chain.slot();
  requireMinContextSlot(config, slot);
  return slot;
}

/** A value with the slot of its reading, as most methods return it (agave `Response`). */
export function withContext<Value>(
  chain: LocalChain,
  config: Config,
  value: Value,
): WithContext<Value> {
  return { context: { slot: slotAt(chain, config), apiVersion: API_VERSION }, value };
}
