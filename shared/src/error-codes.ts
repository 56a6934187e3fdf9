/**
 * Whether the client may repeat the same request.
 *
 * - `no`: it gets the same answer until something else changes.
 * - `yes`: it had no effect, or a repeat has none. `Retry-After` says how long to wait.
 * - `later`: it had no effect. The service refuses it until the operator or a daily or hourly limit
 *   allows it. `Retry-After` says when, if that is known. No client waits for it.
 * - `idempotent`: its effect is unknown. Repeat it only if sending it twice has the same effect as
 *   sending it once, as for a read, a launch with its `Idempotency-Key` and both steps of a claim.
 */
export type MayRepeat = "no" | "yes" | "later" | "idempotent";

export interface ErrorEntry {
  readonly status: number;
  /** The answer's `error`; `<…>` marks a variable part. */
  readonly text: string;
  readonly meaning: string;
  readonly next: string;
  readonly repeat: MayRepeat;
}

/** By default, the status determines `repeat`. */
type Row = Omit<ErrorEntry, "status" | "repeat"> & Partial<Pick<ErrorEntry, "repeat">>;

/**
 * Every error of the wire contract, by status and `code`. Clients compare codes and texts, so they
 * never change. The OpenAPI document, `docs/errors.md` and the SDK's types come from this table.
 */
const byStatus = {
  400: {
    validation_failed: {
      text: "Validation failed",
      meaning: "The request does not follow the contract; `details` names the fields",
      next: "Correct the fields named and send it again",
    },
    ambiguous_host: {
      text: "Validation failed",
      meaning: "The request has more than one `Host` header",
      next: "Check the proxy in front of the server",
    },
    mint_required: {
      text: "Mint address is required",
      meaning: "The claim names no token: neither its path nor its body has a mint address",
      next: "Put the token's mint address at the end of the path, or several addresses into `tokenMints`",
    },
    claim_mismatch: {
      text: "Transaction does not match this claim",
      meaning: "The transaction is not one that step 1 returned for this token",
      next: "Sign and send exactly the transaction of step 1 (a wallet may add Lighthouse assertions), or request a new one",
    },
    claim_unsigned: {
      text: "Transaction is not signed by the agent",
      meaning: "The agent's wallet has not signed the transaction, or its signature is not valid",
      next: "Sign the transaction of step 1 with the wallet that is signed in",
    },
    launch_mismatch: {
      text: "Transaction does not match this launch",
      meaning:
        "The transaction is not one that step 1 returned for this launch, or the agent has not signed it",
      next: "Sign and send exactly the transaction of step 1 (a wallet may add Lighthouse assertions), or request a new one",
    },
    hand_over_mismatch: {
      text: "Transaction does not match this hand-over",
      meaning:
        "The transaction is not one that step 1 returned for this token, or the agent has not signed it",
      next: "Sign and send exactly the transaction of step 1 (a wallet may add Lighthouse assertions), or request a new one",
    },
    image_refused: {
      text: "<reason>",
      meaning: "The upload is not an image that can be stored; `error` says why",
      next: "Send a whole PNG, JPEG, WebP or GIF of at most 2 MiB and 4096 × 4096 pixels",
    },
  },
  401: {
    missing_authorization: {
      text: "Missing or invalid authorization header",
      meaning: "The request has no `Authorization: Bearer` header, or a malformed one",
      next: "Sign in, and send `Authorization: Bearer <token>`",
    },
    invalid_token: {
      text: "Invalid or expired token",
      meaning: "The bearer token is not from this server, or has expired",
      next: "Sign in again; a token lasts 15 minutes",
    },
    invalid_nonce: {
      text: "Invalid or expired nonce",
      meaning: "The nonce is unknown, used, expired, or belongs to another wallet",
      next: "Request a new challenge; a nonce can be used once, within five minutes",
    },
    invalid_signature: {
      text: "Invalid signature",
      meaning: "The signature is not the wallet's signature of the sign-in message",
      next: "Check that the key belongs to the wallet in the request, then request a new challenge",
    },
  },
  403: {
    wallet_blocked: {
      text: "This wallet may not launch at this service",
      meaning: "The server's operator has blocked the wallet: it can claim but cannot launch",
      next: "Contact the server's operator",
    },
    invite_required: {
      text: "An invite is required to launch",
      meaning: "Agents need an invite to launch here, and the wallet has not redeemed one",
      next: "Ask the operator for a code, and redeem it",
    },
    invite_invalid: {
      text: "Invite code cannot be redeemed",
      meaning: "The invite's code is unknown, used up, expired or revoked",
      next: "Check the code, or ask the server's operator for another one",
    },
    not_on_allowlist: {
      text: "This wallet is not on the service's allowlist",
      meaning: "Only wallets on the operator's allowlist can launch",
      next: "Ask the server's operator to add the wallet",
    },
    agent_balance_low: {
      text: "Wallet holds too little SOL to launch",
      meaning: "The wallet holds `balanceSOL`, and must hold `requiredSOL` to launch",
      next: "Send the difference to the wallet, and keep it there until the launch has ended",
    },
  },
  404: {
    not_found: {
      text: "Not found",
      meaning: "There is no such endpoint",
      next: "Check the path; `/openapi/json` lists all endpoints",
    },
    launch_not_found: {
      text: "Launch not found",
      meaning: "The agent has no launch with this event id",
      next: "Check the event id, and that this wallet made the launch",
    },
    token_not_found: {
      text: "Token not found",
      meaning: "The agent has no token with this mint address",
      next: "Check the mint address, and that this wallet launched or received the token",
    },
    image_not_found: {
      text: "Image not found",
      meaning: "There is no such image, or it expired before a launch used it",
      next: "Check the URL, or upload the image again",
    },
    webhook_not_found: {
      text: "Webhook not found",
      meaning: "The agent has no webhook with this id",
      next: "List the agent's webhooks",
    },
  },
  405: {
    method_not_allowed: {
      text: "Method not allowed",
      meaning: "The path does not support the method; `Allow` lists the methods that it supports",
      next: "Use one of the methods in `Allow`",
    },
  },
  408: {
    body_too_late: {
      text: "Request body took too long",
      meaning:
        "The request's body did not arrive within 15 s, or an image arrived at less than 32 KiB a second",
      next: "Send it again over a faster connection",
    },
  },
  409: {
    ticker_taken: {
      text: "Ticker <ticker> already exists",
      meaning:
        "Another launch has the ticker; if it is the agent's own, `eventId` and `status` identify it",
      next: "If it is the agent's own, wait for it or retry it; otherwise choose another ticker",
    },
    idempotency_mismatch: {
      text: "Idempotency-Key was used with another request",
      meaning: "The agent has already used the key for a launch with other fields",
      next: "Use a new `Idempotency-Key` for a new launch",
    },
    not_retryable: {
      text: "Launch cannot be retried",
      meaning: "The launch is pending or has succeeded",
      next: "Read its status; only a `failed` or `rate_limited` launch can be retried",
    },
    not_cancellable: {
      text: "Launch cannot be cancelled",
      meaning: "The launch's transaction is signed, or the launch has ended",
      next: "Read its status; only a `pending` launch that is not signed yet can be cancelled",
    },
    launch_unaffordable: {
      text: "Wallet cannot pay for the launch",
      meaning:
        "The wallet holds `balanceSOL` and needs `requiredSOL` for a launch that it pays for",
      next: "Send the difference to the wallet, then request the transaction again",
    },
    launch_expired: {
      text: "Launch transaction expired, request a new one",
      meaning: "The launch's transaction can no longer land, or is not signed in time to land",
      next: "Request a new transaction and sign it, while the launch waits for `agent_signature`",
    },
    not_signable: {
      text: "Launch does not wait for a signature",
      meaning:
        "The agent does not pay for the launch, has signed it already, the launch has ended, or its token is on chain already",
      next: "Read its status; request a transaction only while it waits for `agent_signature`",
    },
    no_fees_to_claim: {
      text: "No fees to claim",
      meaning: "The token has no fees that can be claimed now",
      next: "Read the claimable fees first; fees come from trades",
    },
    creator_changed: {
      text: "The fees of this token belong to another wallet",
      meaning:
        "The wallet has transferred the right to the fees: the pool's creator role, or the NFT of its position. `message` names the new owner if the chain shows it",
      next: "Claim with the wallet that now owns the fees; `creatorChanged` in the list of claims names it",
    },
    insufficient_sol: {
      text: "Wallet cannot pay for the claim",
      meaning:
        "The wallet holds `balanceSOL` and needs `requiredSOL` for the claim's network fee and rent",
      next: "Send the difference to the wallet, then claim again",
    },
    claim_expired: {
      text: "Claim transaction expired, request a new one",
      meaning: "The claim's transaction can no longer land",
      next: "Request a new transaction and sign it",
    },
    hand_over_expired: {
      text: "Hand-over transaction expired, request a new one",
      meaning: "The hand-over's transaction can no longer land: the agent still has the token",
      next: "Request a new transaction and sign it",
    },
    hand_over_unaffordable: {
      text: "Wallet cannot pay for the hand-over",
      meaning:
        "The wallet holds `balanceSOL` and needs `requiredSOL` for the network fee and the rent of the receiver's account, with what a wallet must keep",
      next: "Send the difference to the wallet, then hand the token over again",
    },
    sandbox_refused: {
      text: "<reason>",
      meaning: "The sandbox's market refuses the airdrop, trade or graduation",
      next: "Try another amount or another token",
    },
    webhook_exists: {
      text: "A webhook with this URL exists",
      meaning: "The agent already has a webhook with this URL",
      next: "Use that one, or delete it first",
    },
    webhook_limit: {
      text: "Too many webhooks of this agent",
      meaning: "The agent has the maximum number of webhooks",
      next: "Delete one first",
    },
  },
  410: {
    events_gone: {
      text: "Events after this cursor are not kept",
      meaning:
        "Events after the cursor were deleted because of their age, or the cursor is beyond the newest event",
      next: "Read the current state of launches and claims, then continue after `oldestAfter`",
    },
  },
  413: {
    body_too_large: {
      text: "Request body too large",
      meaning: "The request's body is larger than 64 KiB, or an image is larger than 2 MiB",
      next: "Send a smaller body",
    },
  },
  415: {
    unsupported_media_type: {
      text: "Content-Type must be application/json",
      meaning: "The request's body is not declared as JSON",
      next: "Send `Content-Type: application/json`",
    },
    unsupported_content_encoding: {
      text: "Content-Encoding must be identity",
      meaning: "The request's body is compressed",
      next: "Send the body as it is, without `Content-Encoding`",
    },
  },
  421: {
    foreign_host: {
      text: "Misdirected request",
      meaning: "The `Host` of the request is not a name of this sandbox; `message` lists its names",
      next: "Use `localhost`, `127.0.0.1` or the host of the sandbox's `PUBLIC_URL`",
    },
  },
  429: {
    too_many_requests: {
      text: "Too many requests",
      meaning:
        "The address, the wallet, the agent, or all clients together, send too many requests",
      next: "Wait before the next request",
    },
    agent_launch_limit: {
      text: "Too many launches of this agent today",
      meaning: "The agent has reached its limit of launches for this UTC day",
      next: "Launch again after 00:00 UTC",
      repeat: "later",
    },
    address_launch_limit: {
      text: "Too many launches of this address today",
      meaning: "The network address has reached its limit of launches and retries for this UTC day",
      next: "Launch again after 00:00 UTC",
      repeat: "later",
    },
    share_used: {
      text: "The share of your network address is used up",
      meaning:
        "The network address, or its network, has used its share of a common resource: waiting launches, the day's budget, streams, uploads, images, checks of tokens, or new webhooks and fee thresholds",
      next: "Try again when part of the share is free",
    },
    launch_rate_limit: {
      text: "Too many launches of this service in an hour",
      meaning:
        "The agents that launched in the last hour, and those that wait, have reached the limit of one hour; or the agent has launched in it, and asks for the transaction of another launch",
      next: "Send it again after the time in `Retry-After`",
      repeat: "later",
    },
    agent_image_limit: {
      text: "Too many images of this agent today",
      meaning: "The agent has reached its limit of uploads for 24 hours",
      next: "Upload again later, or use an image that is already uploaded",
      repeat: "later",
    },
    webhook_queue_full: {
      text: "Too many tests of this webhook wait",
      meaning: "The webhook has the maximum number of waiting tests",
      next: "Try again when some of them have been sent",
    },
    too_many_streams: {
      text: "Too many event streams of this agent",
      meaning: "The agent has the maximum number of event streams and waiting requests",
      next: "Close one, or request the events without `wait`",
    },
  },
  500: {
    internal_error: {
      text: "Internal server error",
      meaning: "The server failed; `message` has the request's id",
      next: "Try again; if the error persists, give the request id to the server's operator",
    },
    register_failed: {
      text: "Failed to register launch",
      meaning: "The launch cannot be stored; `message` has the request's id",
      next: "Try again with the same `Idempotency-Key`; if the error persists, give the request id to the server's operator",
    },
  },
  502: {
    launch_build_failed: {
      text: "<reason>",
      meaning: "The chain would refuse the launch's transaction; `error` says why",
      next: "Change the first buy, or launch again; if the error persists, contact the server's operator",
    },
    claim_build_failed: {
      text: "<reason>",
      meaning: "The claim's transaction cannot be built; `error` says why",
      next: "Check that the token has fees to claim; if the error persists, contact the server's operator",
    },
    claim_refused: {
      text: "<reason>",
      meaning: "The chain refuses the claim's transaction; `error` says why",
      next: "Check that the wallet has SOL for the network fee, then request a new transaction",
    },
    hand_over_refused: {
      text: "<reason>",
      meaning:
        "The hand-over's transaction cannot be built, or the chain refuses it; `error` says why",
      next: "Check that the wallet still has the token's fees; if the error persists, contact the server's operator",
    },
  },
  503: {
    chain_unavailable: {
      text: "<reason>",
      meaning: "The chain cannot be reached; `error` says why",
      next: "Try again in a minute; `GET /health` says what is down",
    },
    wrong_cluster: {
      text: "<reason>",
      meaning: "The server's RPC and its database belong to different clusters",
      next: "Tell the server's operator",
      repeat: "no",
    },
    claim_unsettled: {
      text: "The claim's outcome is not known yet",
      meaning: "The claim was sent, but its outcome is not known yet",
      next: "Send the same transaction again to read its outcome, or claim again: fees are paid only once",
    },
    hand_over_unsettled: {
      text: "The hand-over's outcome is not known yet",
      meaning: "The hand-over was sent, but its outcome is not known yet",
      next: "Send the same transaction again to read its outcome: a token is handed over only once",
    },
    paused: {
      text: "<reason>",
      meaning: "The server's operator has paused launches, claims or sign-ins; `error` says why",
      next: "Try again after the operator resumes it",
      repeat: "later",
    },
    daily_budget_spent: {
      text: "Today's budget for launches is spent",
      meaning: "The server does not pay for more launches on this UTC day",
      next: "Launch again after 00:00 UTC",
      repeat: "later",
    },
    database_unavailable: {
      text: "Database is not available",
      meaning: "The service's database does not answer",
      next: "Send it again after the time in `Retry-After`",
    },
    queue_full: {
      text: "Launch queue is full",
      meaning: "The queue has the maximum number of waiting launches",
      next: "Send it again later",
    },
    image_space_full: {
      text: "No room for more images today",
      meaning: "All agents together have reached the limit of uploads for 24 hours",
      next: "Send it again later, or launch with an `imageUrl` on another host",
    },
    uploads_busy: {
      text: "Too many uploads at once",
      meaning: "The server, or this agent, has the maximum number of uploads in progress",
      next: "Send it again after the time in `Retry-After`",
    },
    starting: {
      text: "The service is starting",
      meaning: "The server has just started and cannot answer yet",
      next: "Send it again after the time in `Retry-After`",
    },
    streams_full: {
      text: "Too many event streams",
      meaning: "The server has the maximum number of event streams and waiting requests",
      next: "Request the events without `wait`, or try again later",
    },
    draining: {
      text: "This server is draining: it is about to stop",
      meaning: "`/ready` returns this while the server waits for its traffic to go elsewhere",
      next: "Send requests to another server, or again once this one has started again",
    },
    unhealthy: {
      text: "The service cannot do its work",
      meaning:
        "`/health` returns this when the service cannot do its work; `message` says what is down",
      next: "Check again in a few seconds",
    },
  },
} as const satisfies Readonly<Record<number, Readonly<Record<string, Row>>>>;

type ByStatus = typeof byStatus;
export type ErrorStatus = keyof ByStatus;
export type CodesOf<Status extends ErrorStatus> = keyof ByStatus[Status];

/** A `code` of an error body, for example `ticker_taken`. */
export type ErrorCode = { [Status in ErrorStatus]: CodesOf<Status> }[ErrorStatus];

/** The codes whose `error` has a variable part. */
export type VaryingErrorCode = {
  [Status in keyof ByStatus]: {
    [Code in keyof ByStatus[Status]]: ByStatus[Status][Code] extends { text: `${string}<${string}` }
      ? Code
      : never;
  }[keyof ByStatus[Status]];
}[keyof ByStatus];

const REPEAT_BY_STATUS: Readonly<Record<number, MayRepeat>> = {
  408: "yes",
  429: "yes",
  500: "idempotent",
  503: "yes",
};

export const errorCodes = Object.fromEntries(
  Object.entries<Readonly<Record<string, Row>>>(byStatus).flatMap(([status, rows]) =>
    Object.entries(rows).map(([code, row]) => [
      code,
      { status: Number(status), repeat: REPEAT_BY_STATUS[Number(status)] ?? "no", ...row },
    ]),
  ),
) as Readonly<Record<ErrorCode, ErrorEntry>>;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}

/** The `error` in the status of a launch that ended `rate_limited`. */
export const launchedTodayText =
  "This agent has already launched a token today (UTC); retry it tomorrow";

export function tickerExists(ticker: string): string {
  return `Ticker ${ticker} already exists`;
}
