import type { Connection } from "@solana/web3.js";
import { networkOf } from "@tokenctl/shared/clusters";
import type { Network } from "@tokenctl/shared/types";
import { decodeAddress } from "../../base/base58.ts";
import { NoProgressError } from "../../solana/confirmer.ts";
import { clusterName } from "../../solana/health.ts";
import { readRpcError } from "../../solana/rpc-answer.ts";
import { SignerError } from "../../solana/wallet-signer.ts";
import { ChainUnavailableError, WrongClusterError } from "../errors.ts";

export const BEHIND = "The Solana RPC is behind its cluster";

/** @throws {ChainUnavailableError} if the RPC or the signer fails; other errors pass through */
export async function withRpcErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw asUnavailable(error) ?? error;
  }
}

/** Converts any error to one with a public text; if the chain did not cause it, the service did. */
export function toUnavailable(error: unknown): ChainUnavailableError {
  return asUnavailable(error) ?? new ChainUnavailableError("The chain could not be read", error);
}

export function problemText(error: unknown): string {
  const { cause, message } = toUnavailable(error);
  return readRpcError(cause)?.advice ?? message;
}

/** @returns null for an error in this service's code or in the accounts that were read */
function asUnavailable(error: unknown): ChainUnavailableError | null {
  if (error instanceof ChainUnavailableError) return error;
  if (error instanceof NoProgressError) return new ChainUnavailableError(error.message, error);
  if (error instanceof SignerError) {
    return new ChainUnavailableError("The launch wallet's signer does not sign", error);
  }
  const failure = readRpcError(error);
  if (failure === null) return null;
  const { sentence, retryAfterSeconds, mayBeCausedByBytes } = failure;
  const facts = { retryAfterSeconds, isOutage: !mayBeCausedByBytes };
  return new ChainUnavailableError(sentence, failure, facts);
}

/** Checks that the RPC serves the database's cluster, until the node has answered once. */
export class ClusterIdentity {
  #known: { readonly network: Network; readonly genesisHash: string } | null = null;
  /** Why this is the wrong RPC; null unless it has shown that. */
  problem: string | null = null;
  #asking: Promise<void> | null = null;

  /** @param book binds a genesis hash unless one is bound, and returns the bound one */
  constructor(
    private readonly connection: Pick<Connection, "getGenesisHash">,
    private readonly book: { bindGenesis(genesisHash: string): Promise<string | null> },
  ) {}

  get isKnown(): boolean {
    return this.#known !== null;
  }

  /** The genesis hash of the database's cluster; null until the RPC has shown that it serves it. */
  get genesisHash(): string | null {
    return this.#known?.genesisHash ?? null;
  }

  /** The cluster; null until it is known to be the right one. */
  get network(): Network | null {
    return this.#known?.network ?? null;
  }

  async verify(): Promise<void> {
    if (this.isKnown) return;
    if (this.problem === null) {
      this.#asking ??= this.#ask().finally(() => {
        this.#asking = null;
      });
      await this.#asking;
    }
    if (this.problem !== null) throw new WrongClusterError(this.problem);
  }

  async #ask(): Promise<void> {
    const genesis = await withRpcErrors(() => this.connection.getGenesisHash());
    if (decodeAddress(genesis) === null) {
      throw new ChainUnavailableError("The Solana RPC gives malformed answers");
    }
    const bound = await this.book.bindGenesis(genesis);
    if (bound === genesis) this.#known = { network: networkOf(genesis), genesisHash: genesis };
    else this.problem = clusterProblem(bound ?? "none", genesis);
  }
}

/** @returns a public message about an RPC that serves another cluster than the database's */
export function clusterProblem(boundGenesis: string, genesis: string): string {
  return `RPC_URL leads to ${clusterName(genesis)}, but this server's launches are on ${clusterName(boundGenesis)}. Set RPC_URL back, or give this server another DATA_DIR or DATABASE_URL.`;
}
