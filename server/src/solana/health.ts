import type { Connection } from "@solana/web3.js";
import { networkOf } from "@tokenctl/shared/clusters";
import type { Network } from "@tokenctl/shared/types";
import type { Clock } from "../base/clock.ts";
import { isLoopbackUrl } from "../base/loopback.ts";
import { rawRequest } from "./connection.ts";
import { RpcError } from "./rpc-answer.ts";

/** Returns whether the node reports that it keeps up; true if it does not support the request. */
export async function isHealthy(connection: Connection): Promise<boolean> {
  try {
    await rawRequest(connection, "getHealth", []);
    return true;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    if (error.kind === "unhealthy") return false;
    const isOutage = (error.status ?? 0) >= 500;
    if (error.isOfMethod && !isOutage) return true;
    throw error;
  }
}

/** How far this machine's clock may differ from the cluster's, in seconds. */
const MAX_SKEW_SECONDS = 5;

/** Compares this machine's milliseconds with the cluster's seconds. @returns advice, or null */
export function clockProblem(now: number, clusterSeconds: number): string | null {
  const skew = Math.round(now / 1_000 - clusterSeconds);
  if (Math.abs(skew) <= MAX_SKEW_SECONDS) return null;
  const side = skew > 0 ? "ahead of" : "behind";
  return `This machine's clock is ${Math.abs(skew)} s ${side} the cluster's: set it by NTP, unless the cluster has halted`;
}

/** A node without a new slot for this many milliseconds is stalled: a slot takes at most 0.4 s. */
const LIMIT_MS = 30_000;

/** Detects a node that still answers, but whose state no longer changes. */
export class StalledNode {
  #highest = 0;
  #since = 0;

  constructor(private readonly clock: Clock) {}

  /** Records an answer's slot. @returns whether no newer slot has appeared for too long */
  isStalledAt(slot: number): boolean {
    const now = this.clock.elapsed();
    if (slot > this.#highest) {
      this.#highest = slot;
      this.#since = now;
    }
    return now - this.#since >= LIMIT_MS;
  }
}

export function clusterName(genesisHash: string): string {
  const network = networkOf(genesisHash);
  return network === "private" ? `a cluster of its own (genesis ${genesisHash})` : network;
}

/** Returns `localnet` for a private network with all nodes on this machine, otherwise `network`. */
export function orLocalnet(network: Network | null, rpcUrls: readonly string[]): Network | null {
  return network === "private" && rpcUrls.every(isLoopbackUrl) ? "localnet" : network;
}
