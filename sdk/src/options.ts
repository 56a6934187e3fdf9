import type { ClaimReceipt, LaunchStatusName } from "@tokenctl/shared/types";
import type { ClaimCost } from "./claim-check/terms.ts";
import type { TokenctlError } from "./errors.ts";
import type { FetchLike } from "./internal/fetch.ts";
import type { RetryNotice } from "./internal/http.ts";
import type { LaunchStatus } from "./launch-status.ts";
import type { Signer } from "./signer.ts";

/** A client's server, wallet, time limits and checks. */
export interface ClientOptions {
  /** The server's address. Default: `http://127.0.0.1:8787`. */
  apiUrl?: string | undefined;
  /** The agent's wallet. Without one only `health`, `challenge(wallet)` and `verify` work. */
  signer?: Signer | undefined;
  /**
   * Whether to sign in with a nonce that names no host. A tokend's nonces name its host, and the
   * client signs only the host of `apiUrl`. A nonce without a host could be another server's,
   * relayed by this one. Default: false.
   */
  allowNonceWithoutHost?: boolean | undefined;
  /**
   * What sends the requests. Default: undici's `request` on Node, elsewhere the runtime's `fetch`. It must return
   * the body as a stream, neither inflated nor collected, because the client counts what it reads.
   */
  fetch?: FetchLike | undefined;
  /** Milliseconds that one attempt of a request may take. Default: 30 000. */
  timeoutMs?: number | undefined;
  /**
   * Milliseconds that one attempt of `submitClaim` may take: the server answers once the
   * transaction is confirmed. Default: 120 000, or `timeoutMs` if that is more.
   */
  submitTimeoutMs?: number | undefined;
  /** Maximum retries of a request that is safe to repeat. Default: 3. */
  maxRetries?: number | undefined;
  /** Maximum network fee of a claim, in lamports. Default: 100 000. */
  maxNetworkFeeLamports?: bigint | number | undefined;
  /**
   * JSON-RPC of a Solana node that the caller trusts, on the server's cluster. With it the client
   * checks a claim's token before it signs, and what the claim paid after it landed.
   */
  rpcUrl?: string | undefined;
  /**
   * Whether a server on another machine is a sandbox. A sandbox's claims transfer wrapped SOL out
   * of fee vaults, which the client refuses elsewhere. Default: false.
   */
  allowSandboxClaims?: boolean | undefined;
  /** Called before each request that is sent again, for a log or a spinner. */
  onRetry?: ((notice: RetryNotice) => void) | undefined;
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call with an `AbortError` when it fires. */
  signal?: AbortSignal | undefined;
}

/** Options of a balance. */
export interface BalanceOptions extends CallOptions {
  /** Base58 address of another wallet. Default: the agent's own. */
  wallet?: string | undefined;
}

/** Options of a list. Without them the call returns the whole list. */
export interface PageOptions extends CallOptions {
  /** 1 to 1000 items. The answer has a `nextCursor` if there are more. */
  limit?: number | undefined;
  /** The `nextCursor` of the previous page. */
  cursor?: string | undefined;
}

/** Options of the list of launches. */
export interface LaunchListOptions extends PageOptions {
  /** Only launches with this status. Default: all. */
  status?: LaunchStatusName | undefined;
}

export interface EventOptions extends CallOptions {
  /**
   * The id of the last event that the caller has handled; 0 for all stored events, `"latest"` for new
   * ones only. Default: all stored events.
   */
  after?: number | "latest" | undefined;
}

export interface EventListOptions extends EventOptions {
  /** Seconds that the server waits for an event if there is none, 0 to 55. Default: 0. */
  waitSeconds?: number | undefined;
  /** 1 to 1000 events. Default: 100. */
  limit?: number | undefined;
}

/** Which claims of the history are read. */
export interface HistoryOptions extends CallOptions {
  /** Mint of the only token to read. Default: all of the agent's tokens. */
  token?: string | undefined;
  /** Claims of this time or later: a `Date`, or a text such as `2026-01-31` or `2026-01-31T09:30Z`. */
  from?: Date | string | undefined;
  /** Claims before this time. */
  to?: Date | string | undefined;
}

export interface LaunchOptions extends CallOptions {
  /**
   * Names this launch, in 1 to 255 visible ASCII characters: the same key and request always return
   * the same `eventId`. Default: a new UUID, which the client's own retries share.
   */
  idempotencyKey?: string | undefined;
  /**
   * Whether a name of more than 32 bytes may be cut to those that go on chain, where it can never change.
   * Default: false; give the request an `onChainName` instead to choose the name there.
   */
  allowShortenedName?: boolean | undefined;
}

export interface ClaimOptions extends CallOptions {
  /**
   * Called with what the claim costs at most, before each signature, and with the time until which it
   * can be signed. If it throws, nothing is signed, and the call throws the same error. While it
   * runs, a claim that is about to expire is replaced by a new one. It is called again only if the new
   * claim costs more, or if a signed claim expired and another is made.
   */
  approve?: ((cost: ClaimCost, expiresAt?: Date) => void | Promise<void>) | undefined;
  /** Called with the new time when a claim is replaced while `approve` runs. */
  onRenew?: ((expiresAt: Date) => void) | undefined;
}

/** A receipt, and with `rpcUrl` what that node shows of the claim. */
export interface ClaimResult extends ClaimReceipt {
  /** Present with `rpcUrl`: the transaction landed and paid what the receipt says. */
  verified?: true;
  /**
   * Present with `rpcUrl`: SOL that the wallet gained, after network fee and rent, for example
   * 0.0396; may be below 0.
   */
  gainedSOL?: number;
}

/** The result of a claim of several tokens. */
export interface ClaimManyResult extends ClaimResult {
  /** The tokens whose fees were claimed, at least one. */
  tokenMints: string[];
}

export interface ClaimAllOptions extends ClaimOptions {
  /** Lamports of fees below which a token is left for later. Default: 1. */
  minLamports?: bigint | number | undefined;
  /** How many transactions are under way at once, 1 to 16. Default: 1. */
  concurrency?: number | undefined;
  /**
   * Called before each claim with its token (the first one if the claim has several) and the token's
   * number among all that are to be claimed.
   */
  onClaim?: ((token: TokenOfClaim, number: number, count: number) => void) | undefined;
  /**
   * Called with the error of a failed claim; return true to stop. `claimAll` always stops if the call is
   * aborted, the server cannot be reached, refuses the sign-in, or sent a
   * receipt of another transaction.
   */
  stopAt?: ((error: unknown) => boolean) | undefined;
}

/** The token of a claim. */
export interface TokenOfClaim {
  tokenMint: string;
  ticker: string;
}

/**
 * How the claim of one token ended:
 *
 * - `claimed`: its fees are paid. Several tokens of one transaction have the same `transactionHash`, and
 *   none of them has `gainedSOL`; what their fees grew by since the list was read counts for the last of
 *   them. The history has what each paid to the lamport.
 * - `nothing_to_claim`: it has no fees.
 * - `below_minimum`: it has less than `minLamports`.
 * - `unreadable`: the server cannot read its fees; `reason` says why.
 * - `failed`: `error` is what `claim` threw. After a `ClaimUnsettledError` it may have been paid. A
 *   `NotApprovedError` has as its cause what your `approve` or `onClaim` threw.
 * - `not_tried`: `claimAll` made no further claims after an earlier failure.
 */
export type ClaimOutcome = TokenOfClaim &
  (
    | ({ kind: "claimed" } & Omit<ClaimResult, "success">)
    | { kind: "nothing_to_claim" }
    | { kind: "below_minimum" | "not_tried"; claimableSOL: number }
    | { kind: "unreadable"; reason: string }
    | { kind: "failed"; error: TokenctlError }
  );

/** How the claims of all of an agent's tokens ended. */
export interface ClaimAllResult {
  /** One for each token, newest token first; those that are unreadable come last. */
  outcomes: ClaimOutcome[];
  /** SOL that the claims paid together, for example 0.0421. */
  claimedSOL: number;
}

export interface WaitOptions extends CallOptions {
  /**
   * Milliseconds between polls, a tenth more or less. Default: 5 000. A server that answers once the
   * launch has ended is asked about once a minute, with `onStatus` once an interval.
   */
  intervalMs?: number | undefined;
  /** Milliseconds after which to give up. Default: never. */
  timeoutMs?: number | undefined;
  /** Called with the status that each poll read. */
  onStatus?: ((status: LaunchStatus) => void) | undefined;
}
