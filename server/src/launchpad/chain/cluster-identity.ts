import type { Connection } from "@solana/web3.js";
import { decodeAddress } from "../../base/base58.ts";
import { clusterName } from "../../solana/clusters.ts";
import { ChainUnavailableError, WrongClusterError } from "../errors.ts";
import { withRpcErrors } from "./rpc-errors.ts";

/** Where the genesis hash is kept to which the launches belong. */
export interface GenesisBook {
  /** Binds a genesis hash, unless one is bound. @returns the one that is bound then */
  bindGenesis(genesisHash: string): string | null;
}

/**
 * Whether the RPC's cluster is the one that the database belongs to. That is asked until it was
 * answered once; a cluster that turns out to be another stays so until the next start.
 */
export class ClusterIdentity {
  readonly #connection: Pick<Connection, "getGenesisHash">;
  readonly #book: GenesisBook;
  #isKnown = false;
  #problem: string | null = null;
  #asking: Promise<void> | null = null;

  constructor(connection: Pick<Connection, "getGenesisHash">, book: GenesisBook) {
    this.#connection = connection;
    this.#book = book;
  }

  /** Whether it was found to be the right one. */
  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** What is wrong with it, once that was found out. */
  get problem(): string | null {
    return this.#problem;
  }

  /**
   * Resolves if it is the right cluster.
   *
   * @throws {WrongClusterError} it is another
   * @throws {ChainUnavailableError} it does not say
   */
  async verify(): Promise<void> {
    if (this.#isKnown) return;
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
    const bound = this.#book.bindGenesis(genesis);
    if (bound === genesis) this.#isKnown = true;
    else this.#problem = clusterProblem(bound ?? "none", genesis);
  }
}

/** What to say of a cluster that is not the one that the database belongs to; fit for anyone. */
export function clusterProblem(boundGenesis: string, genesis: string): string {
  return (
    `RPC_URL leads to ${clusterName(genesis)}, but this server's launches are on ` +
    `${clusterName(boundGenesis)}. Set RPC_URL back, or give this server another DATA_DIR.`
  );
}
