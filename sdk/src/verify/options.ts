import type { FetchLike } from "../internal/fetch.ts";
import type { FactLimits } from "./facts.ts";

/** Where to read, and what is expected. */
export interface VerifyOptions {
  /** A Solana node. */
  rpcUrl: string;
  /** The wallet that is expected as creator. */
  creator?: string | undefined;
  /** The config that is expected. Its pool is then known without a search. */
  config?: string | undefined;
  /** The token's pool, for a node that does not search accounts. */
  pool?: string | undefined;
  /** The most that a fact may cost, by its name, instead of the usual limit: `{ curve_fees: 20 }`. */
  atMost?: FactLimits | undefined;
  /** Whether a metadata document may be read from this URL, to which another may redirect. Default: from any that is https. */
  mayRead?: ((documentUrl: string) => boolean) | undefined;
  /** For everything; default: 60,000. */
  timeoutMs?: number | undefined;
  /** Default: the runtime's own. */
  fetch?: FetchLike | undefined;
  signal?: AbortSignal | undefined;
}
