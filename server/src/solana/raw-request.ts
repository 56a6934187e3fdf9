import { type Connection, SolanaJSONRPCError } from "@solana/web3.js";

/** web3.js 1.x has no public method for this; its own methods all use this member. */
interface RawConnection {
  _rpcRequest(method: string, params: readonly unknown[]): Promise<unknown>;
}

/**
 * Calls a method whose answer web3.js does not know, or parses too strictly.
 *
 * @returns the result, unchecked
 * @throws {SolanaJSONRPCError} the node answers with an error
 */
export async function rawRequest(
  connection: Connection,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  const answer = await (connection as unknown as RawConnection)._rpcRequest(method, params);
  const { result, error } = answer as { result?: unknown; error?: RpcError };
  if (error) throw new SolanaJSONRPCError(error, method);
  return result;
}

interface RpcError {
  readonly code: unknown;
  readonly message: string;
  readonly data?: unknown;
}
