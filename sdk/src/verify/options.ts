import type { FetchLike } from "../internal/fetch.ts";
import type { FactLimits } from "./facts.ts";

/** The node to read, and what to expect. */
export interface VerifyOptions {
  /** A Solana node. */
  rpcUrl: string;
  /** The wallet that is expected as creator. */
  creator?: string | undefined;
  /** The config that is expected. With it, no search for the pool is needed. */
  config?: string | undefined;
  /** The token's pool, for a node that cannot search accounts. */
  pool?: string | undefined;
  /** The most that a fact may cost, if not the usual limit, for example `{ curve_fees: 20 }`. */
  atMost?: FactLimits | undefined;
  /** Whether to read a metadata document, or a redirect, from a URL. Default: from any https. */
  mayRead?: ((documentUrl: string) => boolean) | undefined;
  /** Milliseconds for the whole verification. Default: 60 000. */
  timeoutMs?: number | undefined;
  /** Default: the runtime's own. */
  fetch?: FetchLike | undefined;
  signal?: AbortSignal | undefined;
}
