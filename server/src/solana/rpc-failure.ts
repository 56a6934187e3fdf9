/**
 * - `network`: no connection, or it broke.
 * - `timeout`: no whole answer in time.
 * - `rate_limited`: HTTP 429.
 * - `http`: another status outside 2xx.
 * - `garbage`: not a JSON-RPC answer (an HTML page, half a body).
 */
export type RpcFailureKind = "network" | "timeout" | "rate_limited" | "http" | "garbage";

/**
 * An RPC request that got no JSON-RPC answer. Whether the node acted on it is unknown.
 *
 * It carries no cause on purpose: what `fetch` throws names the URL, and RPC URLs hold API keys.
 */
export class RpcFailure extends Error {
  readonly kind: RpcFailureKind;
  /** Seconds after which the node wants to be asked again, by its `Retry-After`; otherwise null. */
  readonly retryAfterSeconds: number | null;

  /** @param detail a status or an error code, for example `HTTP 502` or `ECONNRESET` */
  constructor(
    kind: RpcFailureKind,
    method: string,
    detail: string,
    retryAfterSeconds: number | null = null,
  ) {
    super(`RPC ${method} failed (${kind}): ${detail}`);
    this.name = "RpcFailure";
    this.kind = kind;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
