import type { Connection } from "@solana/web3.js";
import type { Network } from "@tokenctl/shared/types";
import { decodeAddress } from "../../base/base58.ts";
import { clusterName, networkOf } from "../../solana/clusters.ts";
import { ChainUnavailableError, WrongClusterError } from "../errors.ts";
import { withRpcErrors } from "./rpc-errors.ts";

/** Keeps the genesis hash of the cluster to which the database belongs. */
export interface GenesisBook {
  /** Binds a genesis hash unless one is bound already. @returns the one that is bound now */
  bindGenesis(genesisHash: string): Promise<string | null>;
}

/**
 * Whether the RPC's cluster is the one that the database belongs to. It asks until the node has
 * answered once; that answer counts until the next start.
 */
export class ClusterIdentity {
  readonly #connection: Pick<Connection, "getGenesisHash">;
  readonly #book: GenesisBook;
  #network: Network | null = null;
  #problem: string | null = null;
  #asking: Promise<void> | null = null;

  constructor(connection: Pick<Connection, "getGenesisHash">, book: GenesisBook) {
    this.#connection = connection;
    this.#book = book;
  }

  /** Whether the cluster is known to be the right one. */
  get isKnown(): boolean {
    return this.#network !== null;
  }

  /** The cluster; null as long as it is not known to be the right one. */
  get network(): Network | null {
    return this.#network;
  }

  /** Why the cluster is the wrong one; null as long as that is not known. */
  get problem(): string | null {
    return this.#problem;
  }

  /**
   * Resolves if it is the right cluster.
   *
   * @throws {WrongClusterError} it is another cluster
   * @throws {ChainUnavailableError} the node did not answer, or not sensibly
   */
  async verify(): Promise<void> {
    if (this.isKnown) return;
    if (this.#problem === null) {
      this.#asking ??= this.#ask().finally(() => {
        this.#asking = null;
      });
      await this.#asking;
    }
    if (this.#problem !== null) throw new WrongClusterError(this.#problem);
  }

  async #ask(): Promise<void> {
    const genesis = await withRpcErrors(() => this.#connection.getGenesisHash());
    if (decodeAddress(genesis) === null) {
      throw new ChainUnavailableError("The Solana RPC gives answers that make no sense");
    }
    const bound = await this.#book.bindGenesis(genesis);
    if (bound === genesis) this.#network = networkOf(genesis);
    else this.#problem = clusterProblem(bound ?? "none", genesis);
  }
}

/** @returns a public message about an RPC that leads to another cluster than the database's */
export function clusterProblem(boundGenesis: string, genesis: string): string {
  return (
    `RPC_URL leads to ${clusterName(genesis)}, but this server's launches are on ` +
    `${clusterName(boundGenesis)}. Set RPC_URL back, or give this server another DATA_DIR or DATABASE_URL.`
  );
}
