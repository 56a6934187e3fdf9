import type { LocalChain } from "../chain.ts";
import type { Allowance } from "./allowance.ts";
import { type Config, commitmentOf, type Params, requireMinContextSlot } from "./params.ts";

/** One RPC method: what it answers, or an {@link RpcError}. */
type Method = (chain: LocalChain, params: Params, allowance: Allowance) => unknown;

export type Methods = Readonly<Record<string, Method>>;

export interface WithContext<Value> {
  readonly context: { readonly slot: number; readonly apiVersion: string };
  readonly value: Value;
}

/** The version of agave whose answers these are modelled on. */
export const API_VERSION = "3.0.0";

/**
 * The slot that a call at a commitment is answered from. Account state is always the latest: this
 * chain has no forks, so what was processed will be final.
 */
export function slotAt(chain: LocalChain, config: Config): number {
  const slot = commitmentOf(config) === "finalized" ? chain.finalizedSlot() : chain.slot();
  requireMinContextSlot(config, slot);
  return slot;
}

/** A value with the slot it was read at, as most methods answer. */
export function withContext<Value>(
  chain: LocalChain,
  config: Config,
  value: Value,
): WithContext<Value> {
  return { context: { slot: slotAt(chain, config), apiVersion: API_VERSION }, value };
}
