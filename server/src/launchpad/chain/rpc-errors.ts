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

/** Calls the RPC. @throws {ChainUnavailableError} for every error of the call */
export async function withRpcErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toUnavailable(error);
  }
}

/** Lets the launch wallet sign. @throws {ChainUnavailableError} if its signer does not */
export async function withSignerErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof SignerError)) throw error;
    throw new ChainUnavailableError("The launch wallet's signer does not sign", error);
  }
}

/** Calls the pool program. @throws {ChainUnavailableError} for RPC errors; other errors pass through */
export async function withProgramErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw isRpcError(error) ? toUnavailable(error) : error;
  }
}

/** @param error what an RPC request rejected with */
export function toUnavailable(error: unknown): ChainUnavailableError {
  if (error instanceof ChainUnavailableError) return error;
  if (error instanceof NoProgressError) {
    return new ChainUnavailableError("Nothing lands on the chain", error);
  }
  if (error instanceof RpcFailure) {
    return new ChainUnavailableError(TEXTS[error.kind], error, error.retryAfterSeconds);
  }
  if (error instanceof SolanaJSONRPCError && BEHIND_CODES.has(Number(error.code))) {
    return new ChainUnavailableError("The Solana RPC node is behind its cluster", error);
  }
  return new ChainUnavailableError(TEXTS[kindInMessage(error) ?? "garbage"], error);
}

/** Some methods of web3.js keep only the message of an error. */
function kindInMessage(error: unknown): RpcFailureKind | null {
  if (!(error instanceof Error)) return null;
  const kind = /RpcFailure: RPC \w+ failed \((\w+)\)/.exec(error.message)?.[1];
  return kind !== undefined && Object.hasOwn(TEXTS, kind) ? (kind as RpcFailureKind) : null;
}

/** Whether an error is the RPC's, not one of our code or of the accounts that were read. */
function isRpcError(error: unknown): boolean {
  if (error instanceof RpcFailure || error instanceof SolanaJSONRPCError) return true;
  if (!(error instanceof Error)) return false;
  // web3.js validates answers with superstruct, which exports no class for its errors.
  if (error.name === "StructError" || kindInMessage(error) !== null) return true;
  return /^failed to get .*(StructError|SolanaJSONRPCError)/s.test(error.message);
}
