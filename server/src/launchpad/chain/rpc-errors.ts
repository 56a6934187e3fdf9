import { SolanaJSONRPCError } from "@solana/web3.js";
import { NoProgressError } from "../../solana/confirmer.ts";
import { RpcFailure, type RpcFailureKind } from "../../solana/connection.ts";
import { SignerError } from "../../solana/wallet-signer.ts";
import { ChainUnavailableError } from "../errors.ts";

const TEXTS: Readonly<Record<RpcFailureKind, string>> = {
  network: "The Solana RPC cannot be reached",
  timeout: "The Solana RPC does not answer in time",
  rate_limited: "The Solana RPC limits our requests",
  http: "The Solana RPC answers with an error",
  garbage: "The Solana RPC gives answers that make no sense",
};

/**
 * JSON-RPC codes of a node that is unhealthy or has not reached the slot asked for. Source:
 * `custom_error.rs` of agave's rpc-client-api.
 */
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

/** Calls the pool program, or the launch wallet's signer. @throws {ChainUnavailableError} if the RPC or the signer fails; other errors pass through */
export async function withProgramErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw isRpcError(error) ? toUnavailable(error) : error;
  }
}

/** @param error what an RPC request, or the launch wallet's signer, rejected with */
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
