import { errorTexts } from "./errors.ts";

/**
 * Whether the same request may be sent again.
 *
 * - `no`: it gets the same answer until something else changes.
 * - `yes`: it had no effect, or has none a second time. `Retry-After` says how long to wait.
 * - `later`: it had no effect, and it is refused until the operator's decision or a limit of the day or hour
 *   lets it pass. `Retry-After` says when, if that is known. The caller decides, so no client waits for it.
 * - `idempotent`: only if sending it twice does no more than sending it once, as with a read, a
 *   launch under its `Idempotency-Key` and both steps of a claim. What the request did is not known.
 */
export type MayRepeat = "no" | "yes" | "later" | "idempotent";

/** An error of the wire contract. */
export interface ErrorEntry {
  /** HTTP status of the answer. */
  readonly status: number;
  /** The answer's `error`; `<…>` stands for what varies. */
  readonly text: string;
  readonly meaning: string;
  /** What the client does next. */
  readonly next: string;
  readonly repeat: MayRepeat;
}

/**
 * Every error of the wire contract by its `code`, in the order of their status. Clients compare the
 * codes, so they never change. The OpenAPI document, `docs/ERRORS.md` and the SDK's types follow
 * from this table.
 */
export const errorCodes = {
  validation_failed: {
    status: 400,
    text: errorTexts.validationFailed,
    meaning: "The request does not follow the contract; `details` names the fields",
    next: "Correct the fields named and send it again",
    repeat: "no",
  },
  ambiguous_host: {
    status: 400,
    text: errorTexts.validationFailed,
    meaning: "The request has more than one `Host` header",
    next: "Check the proxy in front of the server",
    repeat: "no",
  },
  mint_required: {
    status: 400,
    text: errorTexts.mintRequired,
    meaning: "The path of a claim has no mint address, and its body names no tokens",
    next: "Put the token's mint address at the end of the path, or several into `tokenMints`",
    repeat: "no",
  },
  claim_mismatch: {
    status: 400,
    text: errorTexts.claimMismatch,
    meaning: "The transaction is not one that step 1 returned for this token",
    next: "Sign and send exactly the transaction of step 1, to which a wallet may add assertions of Lighthouse, or request a new one",
    repeat: "no",
  },
  claim_unsigned: {
    status: 400,
    text: errorTexts.claimUnsigned,
    meaning: "The agent's wallet has not signed the transaction, or its signature is not valid",
    next: "Sign the transaction of step 1 with the wallet that is signed in",
    repeat: "no",
  },
  image_refused: {
    status: 400,
    text: "<reason>",
    meaning: "The upload is not an image that can be stored; `error` says why",
    next: "Send a whole PNG, JPEG, WebP or GIF of at most 2 MiB and 4096 × 4096 pixels",
    repeat: "no",
  },
  missing_authorization: {
    status: 401,
    text: errorTexts.missingAuthorization,
    meaning: "The request has no `Authorization: Bearer` header, or a malformed one",
    next: "Sign in, and send `Authorization: Bearer <token>`",
    repeat: "no",
  },
  invalid_token: {
    status: 401,
    text: errorTexts.invalidToken,
    meaning: "The bearer token is not of this server, or has expired",
    next: "Sign in again; a token lasts 15 minutes",
    repeat: "no",
  },
  invalid_nonce: {
    status: 401,
    text: errorTexts.invalidNonce,
    meaning: "The nonce is unknown, used, expired, or of another wallet",
    next: "Request a new challenge; a nonce can be used once, within five minutes",
    repeat: "no",
  },
  invalid_signature: {
    status: 401,
    text: errorTexts.invalidSignature,
    meaning: "The signature is not the wallet's signature of the sign-in message",
    next: "Check that the signing key is that of the wallet named; request a new challenge",
    repeat: "no",
  },
  wallet_blocked: {
    status: 403,
    text: errorTexts.walletBlocked,
    meaning: "The server's operator has blocked the wallet: it may claim, and not launch",
    next: "Tell the server's operator",
    repeat: "no",
  },
  invite_required: {
    status: 403,
    text: errorTexts.inviteRequired,
    meaning: "The server's operator invites agents, and the wallet has redeemed no invite",
    next: "Ask the operator for a code, and redeem it or send it as `inviteCode` with the launch",
    repeat: "no",
  },
  invite_invalid: {
    status: 403,
    text: errorTexts.inviteInvalid,
    meaning: "The invite's code is unknown, used up, expired or revoked",
    next: "Check the code, or ask the server's operator for another one",
    repeat: "no",
  },
  not_on_allowlist: {
    status: 403,
    text: errorTexts.notOnAllowlist,
    meaning: "Only wallets that the server's operator has listed may launch",
    next: "Ask the server's operator to list the wallet",
    repeat: "no",
  },
  agent_balance_low: {
    status: 403,
    text: errorTexts.agentBalanceLow,
    meaning: "The wallet holds `balanceSOL`, and must hold `requiredSOL` to launch",
    next: "Send the difference to the wallet, and keep it there until the launch has ended",
    repeat: "no",
  },
  not_found: {
    status: 404,
    text: errorTexts.notFound,
    meaning: "There is no such endpoint",
    next: "Check the path; `/openapi` lists all endpoints",
    repeat: "no",
  },
  launch_not_found: {
    status: 404,
    text: errorTexts.launchNotFound,
    meaning: "The agent has no launch with this event id",
    next: "Check the event id, and that this wallet made the launch",
    repeat: "no",
  },
  token_not_found: {
    status: 404,
    text: errorTexts.tokenNotFound,
    meaning: "The agent has no token with this mint address",
    next: "Check the mint address, and that this wallet launched the token",
    repeat: "no",
  },
  image_not_found: {
    status: 404,
    text: errorTexts.imageNotFound,
    meaning: "There is no such image, or it expired before a launch used it",
    next: "Check the URL, or upload the image again",
    repeat: "no",
  },
  webhook_not_found: {
    status: 404,
    text: errorTexts.webhookNotFound,
    meaning: "The agent has no webhook of this id",
    next: "List the agent's webhooks",
    repeat: "no",
  },
  method_not_allowed: {
    status: 405,
    text: errorTexts.methodNotAllowed,
    meaning: "The path does not have the method; `Allow` lists those that it has",
    next: "Use one of the methods in `Allow`",
    repeat: "no",
  },
  body_too_late: {
    status: 408,
    text: errorTexts.bodyTooLate,
    meaning:
      "The request's body did not arrive within 15 s, or an image arrived with less than 32 KiB a second",
    next: "Send it again over a faster connection",
    repeat: "yes",
  },
  ticker_taken: {
    status: 409,
    text: "Ticker <ticker> already exists",
    meaning:
      "Another launch has the ticker; `eventId` and `status` name it if it is the agent's own",
    next: "If it is the agent's own, wait for it or retry it; otherwise choose another ticker",
    repeat: "no",
  },
  idempotency_mismatch: {
    status: 409,
    text: errorTexts.idempotencyMismatch,
    meaning: "The agent has used the key for a launch with other fields",
    next: "Use a new `Idempotency-Key` for a new launch",
    repeat: "no",
  },
  not_retryable: {
    status: 409,
    text: errorTexts.notRetryable,
    meaning: "The launch is pending or has succeeded",
    next: "Read its status; only a `failed` or `rate_limited` launch can be retried",
    repeat: "no",
  },
  not_cancellable: {
    status: 409,
    text: errorTexts.notCancellable,
    meaning: "The launch's transaction is signed, or the launch has ended",
    next: "Read its status; only a `pending` launch of which nothing was signed can be cancelled",
    repeat: "no",
  },
  no_fees_to_claim: {
    status: 409,
    text: errorTexts.noFees,
    meaning: "The token has no fees that can be claimed now",
    next: "Read the claimable fees first; fees come from trades",
    repeat: "no",
  },
  creator_changed: {
    status: 409,
    text: errorTexts.creatorChanged,
    meaning:
      "The wallet has given away what the fees follow: the role of the pool's creator, or the NFT of its position; `message` names the new wallet if the chain does",
    next: "Claim with the wallet that has the role or the NFT now; `creatorChanged` in the list of fees shows both",
    repeat: "no",
  },
  insufficient_sol: {
    status: 409,
    text: errorTexts.insufficientSol,
    meaning:
      "The wallet holds `balanceSOL` and needs `requiredSOL` for the claim's network fee and rent",
    next: "Send the difference to the wallet, then claim again",
    repeat: "no",
  },
  claim_expired: {
    status: 409,
    text: errorTexts.claimExpired,
    meaning: "The claim's transaction can no longer land",
    next: "Request a new transaction and sign it",
    repeat: "no",
  },
  sandbox_refused: {
    status: 409,
    text: "<reason>",
    meaning: "The sandbox's market refuses the airdrop, trade or graduation",
    next: "Change the request as `error` says",
    repeat: "no",
  },
  webhook_exists: {
    status: 409,
    text: errorTexts.webhookExists,
    meaning: "The agent has a webhook with this URL already",
    next: "Use that one, or delete it first",
    repeat: "no",
  },
  webhook_limit: {
    status: 409,
    text: errorTexts.webhookLimit,
    meaning: "The agent has as many webhooks as it may have",
    next: "Delete one first",
    repeat: "no",
  },
  webhook_disabled: {
    status: 409,
    text: errorTexts.webhookDisabled,
    meaning: "Its receiver answered 410, so nothing is sent to it any more",
    next: "Delete it and add it again, with `after` to get what it missed",
    repeat: "no",
  },
  events_gone: {
    status: 410,
    text: errorTexts.eventsGone,
    meaning:
      "Events after the cursor were deleted because of their age, or the cursor is beyond the newest event",
    next: "Read what you missed another way, then read on after `oldestAfter`",
    repeat: "no",
  },
  body_too_large: {
    status: 413,
    text: errorTexts.bodyTooLarge,
    meaning: "The request's body has more than 64 KiB, or an image more than 2 MiB",
    next: "Send a smaller body",
    repeat: "no",
  },
  unsupported_media_type: {
    status: 415,
    text: errorTexts.unsupportedMediaType,
    meaning: "The request's body is not declared as JSON",
    next: "Send `Content-Type: application/json`",
    repeat: "no",
  },
  foreign_host: {
    status: 421,
    text: errorTexts.foreignHost,
    meaning:
      "A sandbox on loopback was asked under a name that is not its own; `message` says which are",
    next: "Use `localhost` or `127.0.0.1`, or the host of its `PUBLIC_URL`",
    repeat: "no",
  },
  too_many_requests: {
    status: 429,
    text: errorTexts.rateLimited,
    meaning: "The address, the wallet or the agent sends too many requests",
    next: "Wait before the next request",
    repeat: "yes",
  },
  agent_launch_limit: {
    status: 429,
    text: errorTexts.agentLaunchLimit,
    meaning: "The agent has made its launches of this UTC day",
    next: "Launch again after 00:00 UTC",
    repeat: "later",
  },
  address_launch_limit: {
    status: 429,
    text: errorTexts.addressLaunchLimit,
    meaning: "The network address has made its launches and retries of this UTC day",
    next: "Launch again after 00:00 UTC",
    repeat: "later",
  },
  share_used: {
    status: 429,
    text: errorTexts.shareUsed,
    meaning:
      "The network address, or its network, has its share of what all clients share: launches that wait, the day's budget, streams, uploads, images. `message` says which",
    next: "Send it again once some of it is free",
    repeat: "yes",
  },
  launch_rate_limit: {
    status: 429,
    text: errorTexts.launchRateLimit,
    meaning:
      "As many agents have launched in the last hour, or wait to, as the server starts in one",
    next: "Send it again after the time in `Retry-After`",
    repeat: "later",
  },
  agent_image_limit: {
    status: 429,
    text: errorTexts.agentImageLimit,
    meaning: "The agent has uploaded its images of 24 hours",
    next: "Upload again later, or use one of the images that are there",
    repeat: "later",
  },
  webhook_queue_full: {
    status: 429,
    text: errorTexts.webhookQueueFull,
    meaning: "As many tests and replays wait at the webhook as may wait",
    next: "Send it again once some of them were tried",
    repeat: "yes",
  },
  too_many_streams: {
    status: 429,
    text: errorTexts.tooManyStreams,
    meaning: "The agent has as many streams and waiting requests for events as it may have",
    next: "Close one, or ask for the events without `wait`",
    repeat: "yes",
  },
  internal_error: {
    status: 500,
    text: errorTexts.internal,
    meaning: "The server failed; `message` has the request's id",
    next: "Try again; if it stays, give the request id to the server's operator",
    repeat: "idempotent",
  },
  register_failed: {
    status: 500,
    text: errorTexts.registerFailed,
    meaning: "The launch cannot be stored; `message` has the request's id",
    next: "Try again under the same `Idempotency-Key`; if it stays, give the request id to the server's operator",
    repeat: "idempotent",
  },
  claim_build_failed: {
    status: 502,
    text: "<reason>",
    meaning: "The claim's transaction cannot be built; `error` says why",
    next: "Check that the token has fees to claim; if it stays, tell the server's operator",
    repeat: "no",
  },
  claim_refused: {
    status: 502,
    text: "<reason>",
    meaning: "The chain refuses the claim's transaction; `error` says why",
    next: "Check that the wallet has SOL for the network fee, then request a new transaction",
    repeat: "no",
  },
  chain_unavailable: {
    status: 503,
    text: "<reason>",
    meaning: "The chain cannot be reached; `error` says why",
    next: "Try again in a minute; `GET /health` says what is down",
    repeat: "yes",
  },
  wrong_cluster: {
    status: 503,
    text: "<reason>",
    meaning: "The server's RPC leads to another cluster than its database belongs to",
    next: "Tell the server's operator",
    repeat: "no",
  },
  claim_unsettled: {
    status: 503,
    text: errorTexts.claimUnsettled,
    meaning: "The claim was sent, and it is not known yet whether it was paid",
    next: "Send the same transaction again to read its outcome, or claim again: fees are paid once",
    repeat: "yes",
  },
  paused: {
    status: 503,
    text: "<reason>",
    meaning: "The server's operator has paused launches, claims or sign-ins; `error` says why",
    next: "Try again when the operator has resumed it",
    repeat: "later",
  },
  daily_budget_spent: {
    status: 503,
    text: errorTexts.budgetSpent,
    meaning: "The server pays for no more launches in this UTC day",
    next: "Launch again after 00:00 UTC",
    repeat: "later",
  },
  database_unavailable: {
    status: 503,
    text: errorTexts.databaseUnavailable,
    meaning: "The service's database does not answer",
    next: "Send it again after the time in `Retry-After`",
    repeat: "yes",
  },
  queue_full: {
    status: 503,
    text: errorTexts.queueFull,
    meaning: "No more launches can wait",
    next: "Send it again later",
    repeat: "yes",
  },
  image_space_full: {
    status: 503,
    text: errorTexts.imageSpaceFull,
    meaning: "All agents together have uploaded as much as the server keeps of 24 hours",
    next: "Send it again later, or launch with an `imageUrl` of another host",
    repeat: "yes",
  },
  uploads_busy: {
    status: 503,
    text: errorTexts.uploadsBusy,
    meaning:
      "The server has as many uploads as it can receive and decode at a time, or as many of this agent",
    next: "Send it again after the time in `Retry-After`",
    repeat: "yes",
  },
  starting: {
    status: 503,
    text: errorTexts.starting,
    meaning: "The server has just been started, and answers nothing else yet",
    next: "Send it again after the time in `Retry-After`",
    repeat: "yes",
  },
  streams_full: {
    status: 503,
    text: errorTexts.streamsFull,
    meaning: "The server has as many streams and waiting requests for events as it may have",
    next: "Ask for the events without `wait`, or try again later",
    repeat: "yes",
  },
  unhealthy: {
    status: 503,
    text: errorTexts.unhealthy,
    meaning:
      "The answer of `/health` if the service cannot do its work; `message` says what is down",
    next: "Ask again in a few seconds",
    repeat: "yes",
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

/** A `code` of an error body, for example `ticker_taken`. */
export type ErrorCode = keyof typeof errorCodes;

/** The codes whose `error` varies. */
export type VaryingErrorCode = {
  [Code in ErrorCode]: (typeof errorCodes)[Code]["text"] extends `${string}<${string}`
    ? Code
    : never;
}[ErrorCode];

/** @returns whether a text is a code of the table */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCodes, code);
}
