import type { FetchLike } from "../internal/fetch.ts";

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
  /** Whether a metadata document may be read from this URL, to which another may redirect. Default: from any that is https. */
  mayRead?: ((documentUrl: string) => boolean) | undefined;
  /** For everything; default: 60,000. */
  timeoutMs?: number | undefined;
  /** Default: the runtime's own. */
  fetch?: FetchLike | undefined;
  signal?: AbortSignal | undefined;
}
