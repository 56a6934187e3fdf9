import type { Connection } from "@solana/web3.js";

/** web3.js 1.x has no method for `getHealth`; its own methods all use this member. */
interface RawConnection {
  _rpcRequest(method: string, params: unknown[]): Promise<unknown>;
}

/**
 * Asks the node whether it keeps up with its cluster.
 *
 * @returns false if it says that it does not; true also if it does not know the method
 */
export async function isHealthy(connection: Connection): Promise<boolean> {
  const raw = connection as unknown as RawConnection;
  const answer = await raw._rpcRequest("getHealth", []);
  if (typeof answer !== "object" || answer === null || !("error" in answer)) return true;
  return errorCode(answer.error) === METHOD_NOT_FOUND;
}

/** Source: the JSON-RPC 2.0 specification. */
const METHOD_NOT_FOUND = -32601;

function errorCode(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : null;
}
