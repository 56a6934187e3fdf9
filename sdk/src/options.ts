import type {
  ClaimReceipt,
  HandOverReceipt,
  LaunchCost,
  LaunchStatusName,
  PaidReceiver,
} from "@tokenctl/shared/types";
import type { CheckedLaunch, ClaimCost, ClaimReceiver, HandOverCost } from "./claim-check/terms.ts";
import type { TokenctlError } from "./errors.ts";
import type { FetchLike } from "./internal/http.ts";
import type { RetryNotice } from "./internal/retry.ts";
import type { LaunchStatus } from "./narrowed-answers.ts";
import type { Signer } from "./signer.ts";

/** A client's server, wallet, time limits and checks. */
export interface ClientOptions {
  /** The server's address. Default: `http://127.0.0.1:8787`. */
  apiUrl?: string | undefined;
  /** The agent's wallet. Calls that need no sign-in work without one. */
  signer?: Signer | undefined;
  /** The bearer token of an earlier `login`, for calls that sign nothing. Default: none. */
  token?: string | undefined;
  /**
   * Sends the requests. Default: the runtime's `fetch`. It must return the body as a stream, not
   * buffered, because the client limits how much it reads.
   */
  fetch?: FetchLike | undefined;
  /** Milliseconds for one attempt of a request, at least 120 000 for a submit. Default: 30 000. */
  timeoutMs?: number | undefined;
  /** Maximum retries of a request that is safe to repeat. Default: 3. */
  maxRetries?: number | undefined;
  /** Maximum network fee of what is signed, in lamports. Default: 100 000. */
  maxNetworkFeeLamports?: bigint | number | undefined;
  /**
   * JSON-RPC address of a Solana node that you trust, on the server's cluster. Before it signs, the
   * client asks it for network fees, rents, tokens, configs and open fees; once a claim has landed,
   * for what it paid. With the server's own `/dev/rpc`, it signs only a sandbox's transactions; with
   * another node, none of those.
   */
  rpcUrl?: string | undefined;
  /** Called before each retry, for a log or a spinner. */
  onRetry?: ((notice: RetryNotice) => void) | undefined;
}

/** Options of every call. */
export interface CallOptions {
  /** Ends the call with an `AbortError`; a submitted claim or hand-over ends as unsettled. */
  signal?: AbortSignal | undefined;
}

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

export interface TokenListOptions extends PageOptions {
  /** Whether to include tokens that the agent has received and accepted. Default: false. */
  received?: boolean | undefined;
}

export interface LaunchListOptions extends PageOptions {
  /** Only launches with this status. Default: all. */
  status?: LaunchStatusName | undefined;
}

export interface EventOptions extends CallOptions {
  /** The id of the last event that you handled, or `"latest"`. Default: 0, all stored events. */
  after?: number | "latest" | undefined;
}

export interface EventListOptions extends EventOptions {
  /** Seconds that the server waits if there is no event, 0 to 55. Default: 0. */
  waitSeconds?: number | undefined;
  /** 1 to 1000 events. Default: 100. */
  limit?: number | undefined;
}

export interface HistoryOptions extends CallOptions {
  /** Mint of the only token to read. Default: all of the agent's tokens. */
  token?: string | undefined;
}

export interface LaunchOptions extends AgentLaunchOptions {
  /**
   * Identifies this launch, in 1 to 255 visible ASCII characters: the same key and request always
   * return the same `eventId`. Default: a new UUID, which the client's own retries share.
   */
  idempotencyKey?: string | undefined;
  /**
   * Whether to cut a name of more than 32 bytes to fit on chain, where it can never change. To
   * choose the name, give the request an `onChainName`. Default: false.
   */
  allowShortenedName?: boolean | undefined;
}

/**
 * Called before each signature with what the transaction does, and its base64
 * (`explainTransaction` says what it does). If it throws, nothing is signed, and the call throws
 * the same error, or a `not_approved` error if something is left behind. If it returns too late,
 * the client replaces the transaction; it is called again only if the new one does something else,
 * costs more or pays a receiver less. Without it, all that passes the check is signed.
 */
export type Approve<Approval> = (approval: Approval, transaction: string) => void | Promise<void>;

/** How an agent signs a launch that it pays for. */
export interface AgentLaunchOptions extends CallOptions {
  /**
   * The most SOL that the launch may cost, first buy included. Default: 0.1 more than the first
   * buy. The config takes up to 100 SOL for a token; only `rpcUrl` can prove how much.
   */
  maxCostSOL?: number | undefined;
  /**
   * The launchpad's config that the token must be launched under, on a real chain. Default: the one
   * that the server names; `approve` gets its address.
   */
  expectedConfig?: string | undefined;
  approve?: Approve<LaunchApproval> | undefined;
}

/** A launch that an agent is about to pay for, read from its transaction. */
export interface LaunchApproval {
  /** Base58. */
  tokenMint: string;
  /** Base58. */
  poolAddress: string;
  tokenStandard: CheckedLaunch["tokenStandard"];
  /** The launchpad's config that sets price, fees and shares, base58; null on a sandbox. */
  config: string | null;
  /** The address of the metadata document, which goes on chain; null on a sandbox. */
  metadataUri: string | null;
  /** The least that the first buy gets, in the token's smallest unit; 0n without one. */
  firstBuyMinUnits: bigint;
  /** The most that the launch costs. */
  costSOL: LaunchCost;
  /** Present with `rpcUrl`: the agent's share of trading fees on the curve, from the config. */
  creatorSharePercent?: number;
}

/** Options of `quoteFirstBuy`. */
export interface QuoteOptions extends CallOptions {
  /** The launchpad's config. Default: the one that the server names. */
  expectedConfig?: string | undefined;
}

/** What a first buy gets. */
export interface FirstBuyQuote {
  /** Whole tokens, for example `16123456.789012`. */
  tokens: string;
  /** `tokens` less 2 %, for the request's `firstBuyMinTokens`. */
  minTokens: string;
  /** The config that sets the curve, base58; null on a sandbox. */
  config: string | null;
}

export interface PrepareClaimOptions extends CallOptions {
  /**
   * Who gets the claimed fees instead of the agent: a wallet, or up to five with their shares. It
   * can transfer only what it takes; the agent's wallet keeps fees that arrive after it was built.
   */
  to?: string | readonly ClaimReceiver[] | undefined;
}

export interface ClaimOptions extends PrepareClaimOptions {
  approve?: Approve<ClaimCost> | undefined;
}

export interface HandOverOptions extends CallOptions {
  /** The wallet that gets the token's fees, base58. */
  to: string;
  /** Whether to claim the open fees first; otherwise they go to the receiver. Default: true. */
  claimFees?: boolean | undefined;
  /** Who gets the open fees, like the `to` of a claim. Default: the agent. */
  claimTo?: PrepareClaimOptions["to"];
  /** Also called before the open fees are claimed. */
  approve?: Approve<HandOverCost> | undefined;
}

/** A hand-over that is already signed. */
export interface SignedHandOver {
  /** The wallet that gets the token's fees, base58. */
  to: string;
  /** Base64. */
  signedTransaction: string;
}

/** The receipt of a hand-over. */
export interface HandOverResult extends HandOverReceipt {
  /** The claims made first; several if one claim cannot pay all fees to all its receivers. */
  claimed: readonly ClaimResult[];
}

/** A receipt; with `rpcUrl` also what that node shows about the claim. */
export interface ClaimResult extends ClaimReceipt {
  /** Present with `rpcUrl`: the transaction landed and paid what the receipt says. */
  verified?: true;
  /** Present with `rpcUrl`: SOL gained after network fee and rent; it can be below 0. */
  gainedSOL?: number;
  /** Present with `to`: what the signed transaction paid each receiver. */
  receivers?: readonly PaidReceiver[];
}

/** The result of a claim of several tokens. */
export interface ClaimManyResult extends ClaimResult {
  /** The tokens whose fees were claimed, at least one. */
  tokenMints: string[];
}

export interface ClaimAllOptions extends ClaimOptions {
  /**
   * SOL that all claims may cost in network fees and rent, if you give no `approve`. A claim counts
   * in full once it may be signed; the first above the sum ends the others. Default: 0.02.
   */
  maxCostSOL?: number | undefined;
  /** Tokens with fewer lamports of fees are not claimed. Default: 1. */
  minLamports?: bigint | number | undefined;
  /**
   * Called with the error of a failed claim; return true to stop. `claimAll` always stops if the
   * call is aborted, or the server is unreachable, refuses the sign-in or sends a wrong receipt.
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
 * - `claimed`: its fees are paid. Tokens claimed in one transaction share a `transactionHash` and
 *   have no `gainedSOL`; fees that accrued since the list was read count for the last token. The
 *   history has each token's exact lamports.
 * - `nothing_to_claim`: it has no fees.
 * - `below_minimum`: it has less than `minLamports`.
 * - `unreadable`: the server cannot read its fees; `reason` says why.
 * - `failed`: `error` is what `claim` threw. After a `ClaimUnsettledError` it may have been paid.
 *   The cause of a `not_approved` error is what your `approve` threw.
 * - `not_tried`: an earlier failure stopped `claimAll`.
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
  /** One per token: newest token first, then the unreadable ones. */
  outcomes: ClaimOutcome[];
  /** SOL that the claims paid together, for example 0.0421. */
  claimedSOL: number;
}

export interface WaitOptions extends CallOptions {
  /**
   * Milliseconds between polls, ±10 %. Default: 5 000. If the server holds requests until the
   * launch ends, the client sends about one a minute, or one per interval with `onStatus`.
   */
  intervalMs?: number | undefined;
  /** Milliseconds after which to give up. Default: never. */
  timeoutMs?: number | undefined;
  /** Called with each status that was read. */
  onStatus?: ((status: LaunchStatus) => void) | undefined;
}
