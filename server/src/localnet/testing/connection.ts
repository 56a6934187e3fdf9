import { type Commitment, Connection, type FetchFn } from "@solana/web3.js";
import type { LocalChain } from "../chain.ts";
import { createRpcHandler, type OnFault } from "../rpc/handler.ts";

/** Never resolved: calls do not leave this process. */
const ENDPOINT = "http://localnet.invalid";

/**
 * Makes a web3.js connection to a chain in this process. It has no websocket: poll statuses instead
 * of using `confirmTransaction`, which subscribes.
 */
export function localConnection(
  chain: LocalChain,
  commitment: Commitment = "confirmed",
  onFault: OnFault = () => {},
): Connection {
  const handle = createRpcHandler(chain, onFault);
  const inProcess = (...call: ConstructorParameters<typeof Request>): Promise<Response> =>
    handle(new Request(...call));
  return new Connection(ENDPOINT, { commitment, fetch: inProcess as unknown as FetchFn });
}
