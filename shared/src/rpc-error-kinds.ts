/**
 * Why a request to a Solana node has no result:
 * - `network`: no connection, or it broke; `timeout`: no whole answer in time.
 * - `http`: a status outside 2xx without a JSON-RPC error.
 * - `garbage`: no JSON-RPC answer, or one that its method does not give.
 * - `broken`: an error of the node itself, or one that is not known here.
 * - `limited`: too many requests; `unauthorised`: the key is missing or wrong.
 * - `unsupported`: the node does not offer the method, or not with this key.
 * - `unhealthy`: it can answer nothing now; `behind`: it can answer this in a moment.
 * - `missing`: it lacks what was asked for, which another node may have.
 * - `refused`: it understood the parameters or the bytes, and refuses them; every node would.
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

/**
 * Codes of JSON-RPC errors, and below them statuses of HTTP, which some providers also say inside an answer.
 * Sources: `custom_error.rs` of agave's rpc-client-api, JSON-RPC 2.0.
 */
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

/** @returns the kind by the status of HTTP, if that says enough, or by the code of a JSON-RPC error */
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
