import { type Connection, SolanaJSONRPCError } from "@solana/web3.js";
import type { Network } from "@tokenctl/shared/types";
import { decodeAddress } from "../../base/base58.ts";
import { NoProgressError } from "../../solana/confirmer.ts";
import { RpcFailure, type RpcFailureKind } from "../../solana/connection.ts";
import { clusterName, networkOf } from "../../solana/health.ts";
import { SignerError } from "../../solana/wallet-signer.ts";
import { ChainUnavailableError, WrongClusterError } from "../errors.ts";

const TEXTS: Readonly<Record<RpcFailureKind, string>> = {
  network: "The Solana RPC cannot be reached",
  timeout: "The Solana RPC does not answer in time",
  rate_limited: "The Solana RPC limits our requests",
  http: "The Solana RPC answers with an error",
  garbage: "The Solana RPC gives malformed answers",
};

/** A node is unhealthy or behind (`custom_error.rs` of agave's rpc-client-api). */
const BEHIND_CODES = new Set([-32004, -32005, -32014, -32016]);

/** Of a node that answers from a state that is too old. */
export const BEHIND = "The Solana RPC node is behind its cluster";

/** Calls the RPC. @throws {ChainUnavailableError} for every error of the call */
export async function withRpcErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toUnavailable(error);
  }
}

/** @throws {ChainUnavailableError} if the RPC or the signer fails; other errors pass through */
export async function withProgramErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw isRpcError(error) ? toUnavailable(error) : error;
  }
}

export function toUnavailable(error: unknown): ChainUnavailableError {
  if (error instanceof ChainUnavailableError) return error;
  const retryAfter = error instanceof RpcFailure ? error.retryAfterSeconds : null;
  return new ChainUnavailableError(textOf(error), error, retryAfter);
}

function textOf(error: unknown): string {
  if (error instanceof NoProgressError) return "Nothing lands on the chain";
  if (error instanceof SignerError) return "The launch wallet's signer does not sign";
  if (error instanceof SolanaJSONRPCError && BEHIND_CODES.has(Number(error.code))) return BEHIND;
  return TEXTS[error instanceof RpcFailure ? error.kind : "garbage"];
}

/** Whether an error is the RPC's or the signer's, not one of our code or of the accounts that were read. */
function isRpcError(error: unknown): boolean {
  return (
    error instanceof RpcFailure ||
    error instanceof SolanaJSONRPCError ||
    error instanceof SignerError ||
    // web3.js validates answers with superstruct, which exports no class for its errors.
    (error instanceof Error && error.name === "StructError")
  );
}

export interface GenesisBook {
  /** Binds a genesis hash unless one is bound already. @returns the one that is bound now */
  bindGenesis(genesisHash: string): Promise<string | null>;
}

/** Whether the RPC's cluster is that of the database: asked until the node has answered once. */
export class ClusterIdentity {
  #network: Network | null = null;
  #problem: string | null = null;
  #asking: Promise<void> | null = null;

  constructor(
    private readonly connection: Pick<Connection, "getGenesisHash">,
    private readonly book: GenesisBook,
  ) {}

  get isKnown(): boolean {
    return this.#network !== null;
  }

  /** The cluster; null as long as it is not known to be the right one. */
  get network(): Network | null {
    return this.#network;
  }

  get problem(): string | null {
    return this.#problem;
  }

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
    const genesis = await withRpcErrors(() => this.connection.getGenesisHash());
    if (decodeAddress(genesis) === null) {
      throw new ChainUnavailableError("The Solana RPC gives malformed answers");
    }
    const bound = await this.book.bindGenesis(genesis);
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
