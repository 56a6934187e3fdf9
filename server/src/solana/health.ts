import { TOKEN_2022_PROGRAM_ID } from "@solana/spl-token";
import { type Connection, PublicKey } from "@solana/web3.js";
import { networkOf } from "@tokenctl/shared/clusters";
import type { Network } from "@tokenctl/shared/types";
import { HIGHEST_VERSION } from "@tokenctl/shared/wire-transaction";
import type { Clock } from "../base/clock.ts";
import { isLoopbackUrl } from "../base/loopback.ts";
import { COMMITMENT, rawRequest } from "./connection.ts";
import { compileMessage, MAX_UNITS } from "./message.ts";
import { RpcError, readRpcError } from "./rpc-answer.ts";
import { simulate } from "./simulate.ts";

/** Returns whether the node reports that it keeps up; true if it does not support the request. */
export async function isHealthy(connection: Connection): Promise<boolean> {
  try {
    await rawRequest(connection, "getHealth", []);
    return true;
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    if (error.kind === "unhealthy") return false;
    if (error.isOfMethod && (error.status ?? 0) < 500) return true;
    throw error;
  }
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

interface Trial {
  readonly method: string;
  /** Default: a request without parameters. */
  readonly ask?: readonly unknown[] | ((connection: Connection) => Promise<unknown>);
  /** What waits without this method; `without` describes a lesser effect. */
  readonly waiting?: string;
  readonly without?: string;
}

const ALL = "launches and claims";
const AT = { commitment: COMMITMENT };
const STRANGER = new PublicKey(new Uint8Array(32).fill(1));
const SIGNATURE = "1".repeat(64);
const DRAFT = { payer: STRANGER, instructions: [] };
const MESSAGE = compileMessage({
  ...DRAFT,
  version: "legacy",
  budget: { units: MAX_UNITS, price: 0n },
  blockhash: "1".repeat(32),
});

/** One harmless request for each method that launches and claims use, except account reads. */
const TRIALS: readonly Trial[] = [
  { method: "simulateTransaction", ask: (through) => simulate(through, DRAFT), waiting: ALL },
  { method: "sendTransaction", ask: sendNothing, waiting: ALL },
  { method: "getEpochInfo", ask: [AT], waiting: ALL },
  {
    method: "getSignatureStatuses",
    ask: [[SIGNATURE], { searchTransactionHistory: true }],
    waiting: ALL,
  },
  {
    method: "getTransaction",
    ask: [SIGNATURE, { maxSupportedTransactionVersion: HIGHEST_VERSION }],
    waiting: "claims",
  },
  {
    method: "getTokenAccountsByOwner",
    ask: [STRANGER, { programId: TOKEN_2022_PROGRAM_ID }, { encoding: "base64" }],
    without: "fees of tokens that have migrated cannot be read or claimed",
  },
  {
    method: "getSignaturesForAddress",
    ask: [STRANGER, { limit: 1 }],
    without: "claims that have expired stay open, and migrated tokens cannot be handed over",
  },
  {
    method: "getFeeForMessage",
    ask: [Buffer.from(MESSAGE).toString("base64"), AT],
    without: `${ALL} wait if simulations name no fee`,
  },
  {
    method: "getRecentPrioritizationFees",
    ask: [[]],
    without: "priority fees are what was last known, or none",
  },
  { method: "getHealth", without: "a node that is behind is noticed by its slots alone" },
];

/** Sends an empty transaction: a node that accepts transactions refuses it. */
async function sendNothing(connection: Connection): Promise<void> {
  try {
    await rawRequest(connection, "sendTransaction", ["", { encoding: "base64" }]);
  } catch (error) {
    if (!(error instanceof RpcError && error.kind === "refused")) throw error;
  }
}

/**
 * Returns the methods that the node refuses, each with a text for operators (what to do, and what
 * does not work until then), and whether launches or claims need it.
 * @param isOne false skips the trial send: of several nodes, one that accepts sends is enough
 */
export async function tryMethods(connection: Connection, isOne: boolean) {
  const trials = TRIALS.filter(({ ask }) => isOne || ask !== sendNothing);
  const faults = await Promise.all(trials.map((trial) => faultOf(connection, trial)));
  return faults.filter((fault) => fault !== null);
}

async function faultOf(
  connection: Connection,
  { method, ask = [], waiting, without = `${waiting} wait` }: Trial,
) {
  try {
    await (typeof ask === "function" ? ask(connection) : rawRequest(connection, method, ask));
    return null;
  } catch (error) {
    const failure = readRpcError(error);
    if (failure === null) throw error;
    // A temporary problem, which the checks of the cluster and of the nodes report.
    if (failure.kind === "behind" || failure.kind === "unhealthy") return null;
    const named = failure.isOfMethod ? failure.advice : `${failure.sentence} (${method})`;
    return { text: `${named}. Until then ${without}`, isRequired: waiting !== undefined };
  }
}
