import { type Connection, SolanaJSONRPCError } from "@solana/web3.js";
import { rawRequest } from "./raw-request.ts";

/**
 * Asks the node whether it keeps up with its cluster.
 *
 * @returns false if it says that it does not; true also if it does not know the method
 */
export async function isHealthy(connection: Connection): Promise<boolean> {
  try {
    await rawRequest(connection, "getHealth", []);
    return true;
  } catch (error) {
    if (error instanceof SolanaJSONRPCError) return error.code === METHOD_NOT_FOUND;
    throw error;
  }
}

/** Source: the JSON-RPC 2.0 specification. */
const METHOD_NOT_FOUND = -32601;
