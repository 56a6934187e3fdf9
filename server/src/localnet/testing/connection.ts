import { type Commitment, Connection, type FetchFn } from "@solana/web3.js";
import type { LocalChain } from "../chain.ts";
import { createRpcHandler, type OnFault } from "../rpc/handler.ts";

/** Never resolved: calls do not leave this process. */
const ENDPOINT = "http://localnet.invalid";

/**
 * A web3.js connection to a chain in this process. It has no websocket, so poll signature statuses
 * instead of subscribing to them (`confirmTransaction` subscribes).
 *
 * @param commitment the default commitment of reads
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
