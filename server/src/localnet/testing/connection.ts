import { type Commitment, Connection, type FetchFn } from "@solana/web3.js";
import type { LocalChain } from "../chain.ts";
import { createRpcHandler, type OnFault } from "../rpc/handler.ts";

/** Never resolved: calls do not leave this process. */
const ENDPOINT = "http://localnet.invalid";

/** Connects without a websocket: poll statuses, because `confirmTransaction` subscribes. */
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
