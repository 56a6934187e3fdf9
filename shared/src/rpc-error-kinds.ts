/**
 * Why a request to a Solana node has no result:
 * - `network`: the connection failed or broke; `timeout`: no complete answer in time.
 * - `http`: a status outside 2xx without a JSON-RPC error.
 * - `garbage`: not a JSON-RPC answer, or not one that the method can have.
 * - `broken`: an error of the node itself, or an unknown error.
 * - `limited`: too many requests; `unauthorised`: the key is missing or wrong.
 * - `unsupported`: the node does not offer the method, or not for this key.
 * - `unhealthy`: it cannot answer anything now; `behind`: it can answer this in a moment.
 * - `missing`: it lacks the requested data, which another node may have.
 * - `refused`: it rejects the parameters or the bytes, as every node would.
 */
export type RpcErrorKind =
  | "network"
  | "timeout"
  | "http"
  | "garbage"
  | "broken"
  | "limited"
  | "unauthorised"
  | "unsupported"
  | "unhealthy"
  | "behind"
  | "missing"
  | "refused";

/** Codes of JSON-RPC errors (source: agave's `custom_error.rs`, JSON-RPC 2.0), or HTTP statuses. */
const CODES: Partial<Record<RpcErrorKind, readonly number[]>> = {
  refused: [
    ...[-32700, -32600, -32602, -32002, -32003, -32006],
    ...[-32013, -32015, -32017, -32018, -32020],
  ],
  missing: [-32001, -32007, -32008, -32009, -32010, -32011, -32012, -32019],
  behind: [-32004, -32014, -32016],
  unhealthy: [-32005],
  unsupported: [-32601, 403],
  limited: [-32429, 429],
  unauthorised: [401],
};

/** Returns the kind for an HTTP status if it is specific enough, otherwise for a JSON-RPC code. */
export function kindOfRpcError({
  code = null,
  status = null,
}: {
  readonly code?: number | null;
  readonly status?: number | null;
}): RpcErrorKind {
  for (const sign of [status, code]) {
    const found = Object.entries(CODES).find(([, codes]) => codes.includes(sign ?? 0));
    if (found) return found[0] as RpcErrorKind;
  }
  return code === null ? "http" : "broken";
}
