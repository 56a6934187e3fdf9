import type { ClaimReceipt, LaunchStatus } from "@tokenctl/shared/types";
import type { ClaimCost } from "./claim-check/terms.ts";
import type { FetchLike } from "./internal/fetch.ts";
import type { RetryNotice } from "./internal/retry.ts";
import type { Signer } from "./signer.ts";

/** Where a client finds its server, whose wallet it is, and how patient it is. */
export interface ClientOptions {
  /** The server's address. Default: `http://127.0.0.1:8787`. */
  apiUrl?: string | undefined;
  /** The agent's wallet; without one only `health`, `challenge` and `verify` work. */
  signer?: Signer | undefined;
  /**
   * Whether to sign in with a nonce that names no host. A tokend's nonces name theirs, and only one
   * that is `apiUrl`'s is ever signed; other servers' may name none, and could then be relayed by
   * any server. Default: false.
   */
  allowNonceWithoutHost?: boolean | undefined;
  /**
   * What sends the requests. Default: undici's `request`; on Bun its own `fetch`. Answers are
   * bounded by what is read of the stream that it returns: it must not inflate or collect them.
   */
  fetch?: FetchLike | undefined;
  /** Milliseconds that one attempt of a request may take. Default: 30 000. */
  timeoutMs?: number | undefined;
  /**
   * Milliseconds that one attempt of `submitClaim` may take: the server answers once the
   * transaction is confirmed. Default: 120 000, or `timeoutMs` where that is more.
   */
  submitTimeoutMs?: number | undefined;
  /** How often a request that is safe to repeat is sent again. Default: 3. */
  maxRetries?: number | undefined;
  /** Lamports of network fee that a claim may cost the agent at most. Default: 100 000. */
  maxNetworkFeeLamports?: bigint | number | undefined;
  /**
   * JSON-RPC of a Solana node that the caller trusts, on the server's cluster. With it each claim's
   * token is looked at before the claim is signed, and what it paid after it landed.
   */
  rpcUrl?: string | undefined;
  /**
   * Whether the server is a sandbox although it is not on this machine. A sandbox's claims transfer
   * wrapped SOL out of fee vaults, which is refused elsewhere. Default: false.
   */
  allowSandboxClaims?: boolean | undefined;
  /** Told of each request that is about to be sent again, for a log or a spinner. */
  onRetry?: ((notice: RetryNotice) => void) | undefined;
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call with an `AbortError`. */
  signal?: AbortSignal | undefined;
}

/** Options of a list: without them it comes whole. */
export interface PageOptions extends CallOptions {
  /** 1 to 1000 items; `nextCursor` then tells whether there is more. */
  limit?: number | undefined;
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined;
}

export interface LaunchOptions extends CallOptions {
  /**
   * Names this launch: the same key and request give the same `eventId`, however often they are
   * sent. Default: a new UUID, under which the client's own retries are sent.
   */
  idempotencyKey?: string | undefined;
}

export interface ClaimOptions extends CallOptions {
  /**
   * Told what a claim costs at most, each time that one is about to be signed: also when the first
   * expired and another is made. If it throws, nothing is signed, and the call throws the same.
   */
  approve?: ((cost: ClaimCost) => void | Promise<void>) | undefined;
}

/** A receipt, and what the client's own RPC says of it. */
export interface ClaimResult extends ClaimReceipt {
  /** Present with `rpcUrl`: the transaction landed and paid what the receipt says. */
  verified?: true;
  /** Present with `rpcUrl`: SOL that the wallet gained, after network fee and rent; may be below 0. */
  gainedSOL?: number;
}

export interface WaitOptions extends CallOptions {
  /** Milliseconds between polls, give or take a tenth. Default: 5 000. */
  intervalMs?: number | undefined;
  /** Milliseconds after which to give up. Default: never. */
  timeoutMs?: number | undefined;
  /** Told what each poll saw. */
  onStatus?: ((status: LaunchStatus) => void) | undefined;
}
