import type {
  AgentEvent,
  AgentEventList,
  Challenge,
  ClaimHistory,
  ClaimList,
  FeeThresholdList,
  Health,
  LaunchAccepted,
  LaunchCheck,
  LaunchRequest,
  PaidClaim,
  PreparedClaim,
  PublicToken,
  RedeemedInvite,
  Session,
  Token,
  TokenList,
  TokenMetadata,
  UploadedImage,
  WalletBalance,
} from "@tokenctl/shared/types";
import { DevClient } from "./dev.ts";
import { answers } from "./internal/answers.ts";
import { Api } from "./internal/api.ts";
import { claimAll } from "./internal/claim-all.ts";
import { claimHistory } from "./internal/claim-history.ts";
import { ClaimSteps } from "./internal/claim-steps.ts";
import { followEvents } from "./internal/follow-events.ts";
import { launchAnswers } from "./internal/launch-answers.ts";
import { refuseOthers } from "./internal/parse-options.ts";
import {
  addressSegment,
  checkName,
  cursorText,
  eventIdSegment,
  idempotencyKey,
  imageBytes,
  query,
  thresholdPath,
  timeText,
  walletQuery,
} from "./internal/request-parts.ts";
import { tokenLifeSeconds } from "./internal/session.ts";
import { readSettings } from "./internal/settings.ts";
import { waitForLaunch } from "./internal/wait-for-launch.ts";
import type { LaunchList, LaunchStatus } from "./launch-status.ts";
import type {
  BalanceOptions,
  CallOptions,
  ClaimAllOptions,
  ClaimAllResult,
  ClaimManyResult,
  ClaimOptions,
  ClaimResult,
  ClientOptions,
  EventListOptions,
  EventOptions,
  HistoryOptions,
  LaunchListOptions,
  LaunchOptions,
  PageOptions,
  WaitOptions,
} from "./options.ts";
import { WebhooksClient } from "./webhooks.ts";

/** A fresh sign-in. */
export interface Login {
  /** The wallet that signed in: base58. */
  wallet: string;
  /** The bearer token (JWT). Anyone who has it acts for the wallet until it expires. */
  token: string;
  /** Seconds from now until the token expires, for example 900; null if the token does not say. */
  expiresInSeconds: number | null;
}

const LAUNCH = "/api/v1/tokens/launch";

// Over 300 lines: most are the documentation of one public class, whose work is done in internal/.
/**
 * Client of a token launch service, for one agent. It signs in when a call needs it, sends a
 * request again if that is safe, and signs a claim only after it has checked what the claim does.
 *
 * Its methods throw {@link TokenctlError}s only. The exception is what the caller's own `approve`
 * throws.
 *
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { keypairSigner, TokenctlClient } from "@tokenctl/sdk";
 *
 * const client = new TokenctlClient({
 *   apiUrl: "https://tokens.example",
 *   signer: keypairSigner(await readFile("agent.json", "utf8")),
 * });
 * ```
 */
export class TokenctlClient {
  /** The server's address, without a slash at its end. */
  readonly apiUrl: string;
  /** Airdrops, trades and graduation, on a sandbox server. */
  readonly dev: DevClient;
  /** The receivers to which the server sends the agent's events. */
  readonly webhooks: WebhooksClient;
  readonly #api: Api;
  readonly #claimSteps: ClaimSteps;

  /** @throws {InvalidArgumentError} if an option cannot be used */
  constructor(options: ClientOptions = {}) {
    const settings = readSettings(options);
    this.apiUrl = settings.apiUrl;
    this.#api = new Api(settings);
    this.#claimSteps = new ClaimSteps(this.#api, settings);
    this.webhooks = new WebhooksClient(this.#api);
    this.dev = new DevClient(this.#api);
  }

  /**
   * The agent's wallet, base58.
   *
   * @throws {SignerRequiredError} if the client has no signer
   * @example
   * ```ts
   * const { claims } = await client.claims();
   * if (claims.length > 0) console.log(`The fees go to ${client.address}`);
   * ```
   */
  get address(): string {
    return this.#api.signer.publicKey;
  }

  /**
   * Asks for a nonce to sign in with. `login` does this by itself.
   *
   * @param wallet base58 address; default: the signer's
   * @returns the nonce, good for five minutes and one use, for example `tokens.example/x6Zt…`
   * @example
   * ```ts
   * import { signInMessage } from "@tokenctl/sdk";
   *
   * const { nonce } = await client.challenge();
   * console.log(signInMessage(nonce)); // what the wallet has to sign
   * ```
   */
  async challenge(wallet: string = this.address, options: CallOptions = {}): Promise<Challenge> {
    const answer = answers.Challenge;
    const request = { path: "/api/auth/challenge", body: { wallet }, answer } as const;
    return this.#api.call({ ...request, method: "POST", repeat: "repeatable" }, options);
  }

  /**
   * Exchanges a signed nonce for a bearer token. `login` does this by itself. The request is sent
   * once, because any verify that names a nonce uses it up. The client does not keep the token.
   *
   * @param proof the wallet, its nonce, and the base58 signature of `signInMessage(nonce)`
   * @returns the bearer token, a JWT that is valid for 15 minutes
   * @throws {AuthenticationError} `invalid_nonce` or `invalid_signature`
   * @example
   * ```ts
   * import bs58 from "bs58";
   * import { keypairSigner, signInMessage } from "@tokenctl/sdk";
   *
   * const signer = keypairSigner(secretKey);
   * const { nonce } = await client.challenge(signer.publicKey);
   * const message = new TextEncoder().encode(signInMessage(nonce));
   * const signature = bs58.encode(await signer.signMessage(message));
   * const { token } = await client.verify({ wallet: signer.publicKey, nonce, signature });
   * ```
   */
  async verify(
    proof: { wallet: string; nonce: string; signature: string },
    options: CallOptions = {},
  ): Promise<Session> {
    const { wallet, nonce, signature } = proof;
    const body = { wallet, nonce, signature };
    const request = { path: "/api/auth/verify", body, answer: answers.Session };
    return this.#api.call({ ...request, method: "POST", repeat: "never" }, options);
  }

  /**
   * Signs in now. Other calls sign in by themselves, so this is needed only to get the token.
   *
   * @returns the wallet, its bearer token, and the token's life in seconds, for example 900
   * @throws {AuthenticationError} if the server refuses the wallet's signature
   * @throws {NonceError} if the signature of the server's nonce could sign in elsewhere
   * @throws {SignerError} if the signer fails
   * @example
   * ```ts
   * const { token, expiresInSeconds } = await client.login();
   * console.log(`authorization: Bearer ${token}`, expiresInSeconds);
   * ```
   */
  async login(options: CallOptions = {}): Promise<Login> {
    const wallet = this.address;
    const token = await this.#api.login(options);
    const life = tokenLifeSeconds(token);
    return { wallet, token, expiresInSeconds: Number.isFinite(life) ? life : null };
  }

  /**
   * Reads what the agent's wallet holds, or another one, as the server's chain shows it.
   *
   * @param options `wallet`: the base58 address of another wallet
   * @returns the wallet and its SOL, for example `balanceSOL: 0.25`
   * @throws {ServiceUnavailableError} `chain_unavailable` or `wrong_cluster`
   * @example
   * ```ts
   * const { balanceSOL } = await client.balance();
   * console.log(`${balanceSOL} SOL`);
   * ```
   */
  async balance(options: BalanceOptions = {}): Promise<WalletBalance> {
    const { wallet, ...call } = options;
    return this.#api.get(`/api/v1/wallet${walletQuery(wallet)}`, answers.WalletBalance, call);
  }

  /**
   * Requests the launch of a token. The server has then stored and queued the launch;
   * `waitForLaunch` returns how it ended.
   *
   * @returns the launch's `eventId`, a UUID
   * @throws {InvalidArgumentError} before it sends anything, if the name is longer than the 32 bytes that go on
   * chain, and the request has neither an `onChainName` nor the option `allowShortenedName`
   * @throws {ValidationError} with `details` that name the fields
   * @throws {ForbiddenError} if the service does not let this wallet launch
   * @throws {TickerTakenError} also if the ticker is that of an own launch
   * @throws {RateLimitError} if a limit of the agent, its address or the hour is reached
   * @throws {ServiceUnavailableError} `paused`, `queue_full`, or `daily_budget_spent` until 00:00 UTC
   * @example
   * ```ts
   * const { eventId } = await client.launch(
   *   { name: "dogwifhat", ticker: "WIF" },
   *   { idempotencyKey: "wif-2026-01-31" }, // the same key never launches twice
   * );
   * ```
   */
  async launch(request: LaunchRequest, options: LaunchOptions = {}): Promise<LaunchAccepted> {
    const { idempotencyKey: key, allowShortenedName, ...call } = options;
    checkName(request, { allowShortenedName });
    const headers = { "idempotency-key": idempotencyKey(key) };
    const answer = answers.LaunchAccepted;
    return this.#api.post({ path: LAUNCH, headers, body: request, answer }, call);
  }

  /**
   * Redeems an invite, where a service lets only invited wallets launch. A launch can also carry the
   * code as `inviteCode`.
   *
   * @param code as the service's operator gave it; case, spaces and hyphens do not matter
   * @returns whether the wallet had been invited before; then the code is not used up
   * @throws {ForbiddenError} `invite_invalid` if the code cannot be redeemed; `wallet_blocked`
   * @example
   * ```ts
   * await client.redeemInvite("K7QF-2MNP-9XTA-44HW");
   * await client.launch({ name: "dogwifhat", ticker: "WIF" });
   * ```
   */
  async redeemInvite(code: string, options: CallOptions = {}): Promise<RedeemedInvite> {
    const answer = answers.RedeemedInvite;
    return this.#api.post({ path: "/api/v1/invites/redeem", body: { code }, answer }, options);
  }

  /**
   * Uploads an image for a launch. The server keeps its pixels and nothing else, at most 1024 a side,
   * and serves them once a token has it; an image that no launch uses expires after 24 hours.
   *
   * @param image a PNG, JPEG, WebP or GIF of at most 2 MiB and 4096 pixels a side
   * @returns its `url` for the launch's `imageUrl`; the same image returns the same
   * @throws {ValidationError} `image_refused`
   * @throws {RateLimitError} `agent_image_limit` or `share_used`, of 24 hours
   * @throws {ServiceUnavailableError} `image_space_full`, `uploads_busy`
   * @throws {InvalidArgumentError} if it is empty or too large; nothing is sent
   * @example
   * ```ts
   * import { readFile } from "node:fs/promises";
   *
   * const { url } = await client.uploadImage(await readFile("logo.png"));
   * await client.launch({ name: "dogwifhat", ticker: "WIF", imageUrl: url });
   * ```
   */
  async uploadImage(image: Uint8Array | Blob, options: CallOptions = {}): Promise<UploadedImage> {
    const bytes = await imageBytes(image);
    return this.#api.post(
      { path: "/api/v1/images", bytes, answer: answers.UploadedImage },
      options,
    );
  }

  /**
   * Asks how a launch with these fields would end. It changes and reserves nothing.
   *
   * @returns `ok`; in `refusals` all that would refuse the launch, with the codes and texts of its own errors; in
   * `endsAs` that the day's token is launched already; then quotas, queue, what goes on chain, and fees
   * @example
   * ```ts
   * const request = { name: "dogwifhat", ticker: "WIF" };
   * const { ok, refusals } = await client.checkLaunch(request);
   * if (ok) await client.launch(request);
   * else for (const { code, error } of refusals) console.error(code, error); // such as ticker_taken
   * ```
   */
  async checkLaunch(request: LaunchRequest, options: CallOptions = {}): Promise<LaunchCheck> {
    const check = { path: `${LAUNCH}/check`, body: request, answer: answers.LaunchCheck };
    return this.#api.post({ ...check, repeat: "read" }, options);
  }

  /**
   * Puts a launch that ended `failed` or `rate_limited` back in the queue, under the same id.
   *
   * @throws {NotFoundError} `launch_not_found`
   * @throws {ConflictError} `not_retryable` if it is pending or has succeeded; `ticker_taken` if
   * another launch has the ticker now
   * @throws {RateLimitError}, {@link ServiceUnavailableError} for the same reasons as `launch`
   * @example
   * ```ts
   * const launch = await client.launchStatus(eventId);
   * if (launch.status === "failed") await client.retryLaunch(eventId);
   * ```
   */
  async retryLaunch(eventId: string, options: CallOptions = {}): Promise<LaunchAccepted> {
    const path = `${LAUNCH}/${eventIdSegment(eventId)}/retry`;
    const answer = answers.LaunchAccepted;
    return this.#api.change({ path, answer }, options);
  }

  /**
   * Reads where a token of any agent comes from. It needs no signer.
   *
   * @returns its agent's wallet, pool, config, fees and launch transaction
   * @throws {NotFoundError} `token_not_found` if the service has launched no such token
   * @example
   * ```ts
   * const { creator, fees } = await client.publicToken(mint);
   * console.log(creator, fees?.bondingCurve.creatorSharePercent);
   * ```
   */
  async publicToken(mint: string, options: CallOptions = {}): Promise<PublicToken> {
    const path = `/public/tokens/${addressSegment(mint)}`;
    return this.#api.getPublic(path, answers.PublicToken, options);
  }

  /**
   * Reads the status of a launch once.
   *
   * @returns `status` is `pending`, `success`, `failed` or `rate_limited`
   * @throws {NotFoundError} `launch_not_found` if this wallet has no such launch
   * @example
   * ```ts
   * const { status, tokenMint, error } = await client.launchStatus(eventId);
   * console.log(status, tokenMint ?? error);
   * ```
   */
  async launchStatus(eventId: string, options: CallOptions = {}): Promise<LaunchStatus> {
    const path = `${LAUNCH}/status/${eventIdSegment(eventId)}`;
    return this.#api.get(path, launchAnswers.status, options);
  }

  /**
   * Lists the agent's launches, newest first: all of them, those of one status, or one page. So an
   * event id that was lost is found again.
   *
   * @returns the launches, and `nextCursor` if `limit` was given and there are more
   * @throws {ValidationError} if the server knows no such status
   * @example
   * ```ts
   * const { launches } = await client.launches({ status: "pending" });
   * for (const { ticker, waitingFor } of launches) console.log(ticker, waitingFor);
   * ```
   */
  async launches(options: LaunchListOptions = {}): Promise<LaunchList> {
    const { status, limit, cursor, ...call } = options;
    const path = `/api/v1/tokens/launches${query({ status, limit, cursor })}`;
    return this.#api.get(path, launchAnswers.list, call);
  }

  /**
   * Cancels a pending launch that is not signed yet. It ends `failed` with the error `Cancelled by
   * its agent`, and its ticker is free at once. To cancel it again returns the same.
   *
   * @returns the launch's status
   * @throws {NotFoundError} `launch_not_found`
   * @throws {ConflictError} `not_cancellable` if its transaction is signed, or it has ended
   * @example
   * ```ts
   * const { status } = await client.cancelLaunch(eventId);
   * console.log(status); // "failed"
   * ```
   */
  async cancelLaunch(eventId: string, options: CallOptions = {}): Promise<LaunchStatus> {
    const path = `${LAUNCH}/${eventIdSegment(eventId)}/cancel`;
    return this.#api.post({ path, answer: launchAnswers.status }, options);
  }

  /**
   * Waits until a launch has ended. It does not throw if the launch failed: read the `status`. The server
   * answers as soon as the launch has ended; it polls where a server or a proxy lets no request wait.
   * If the server goes away, it keeps polling for up to a minute.
   *
   * @returns the first status that is `success`, `failed` or `rate_limited`
   * @throws {LaunchWaitTimeoutError} after `timeoutMs`; the launch itself goes on
   * @example
   * ```ts
   * const launch = await client.waitForLaunch(eventId, { timeoutMs: 120_000 });
   * if (launch.status !== "success") throw new Error(launch.error ?? launch.status);
   * console.log(launch.tokenMint);
   * ```
   */
  async waitForLaunch(eventId: string, options: WaitOptions = {}): Promise<LaunchStatus> {
    const read = (signal: AbortSignal, waitSeconds: number) => {
      if (waitSeconds === 0) return this.launchStatus(eventId, { signal });
      const path = `${LAUNCH}/status/${eventIdSegment(eventId)}?wait=${waitSeconds}`;
      const request = { path, answer: launchAnswers.status, repeat: "never" } as const;
      return this.#api.getLater(request, waitSeconds, { signal });
    };
    return waitForLaunch(read, eventId, options);
  }

  /**
   * Receives the agent's events, oldest first, then each as it happens. If the connection breaks, the
   * token expires or the server goes away, it connects again by itself and goes on after the last event:
   * none is left out, none comes twice. Leave the loop, or abort, to end it.
   *
   * Store the `id` of each event once it is dealt with, and begin there after a restart.
   *
   * @throws {EventsGoneError} if events after the cursor are deleted
   * @throws {AbortError} if the signal fires
   * @throws what any call throws, if the first connection fails; later failures are tried again for as
   * long as they last, unless the server refuses for good
   * @example
   * ```ts
   * for await (const event of client.events({ after: 17 })) {
   *   console.log(event.id, event.type, event.data.ticker);
   *   if (event.type === "claim.confirmed") break;
   * }
   * ```
   */
  events(options: EventOptions = {}): AsyncGenerator<AgentEvent, void, undefined> {
    const { after, ...call } = options;
    refuseOthers(call);
    const open = (cursor: EventOptions["after"], signal: AbortSignal) =>
      this.#api.openStream(`/api/v1/events/stream${query({ after: cursorText(cursor) })}`, signal);
    return followEvents(open, after, call.signal);
  }

  /**
   * Reads events once, oldest first: those after a cursor, or with `waitSeconds` the next one.
   *
   * @returns the events, and as `nextAfter` the cursor for the next call
   * @throws {EventsGoneError} if events after the cursor are deleted
   * @throws {RateLimitError}, {@link ServiceUnavailableError} if too many requests wait
   * @example
   * ```ts
   * const { events, nextAfter } = await client.eventList({ after: 17, waitSeconds: 55 });
   * console.log(events.length, "new events; go on after", nextAfter);
   * ```
   */
  async eventList(options: EventListOptions = {}): Promise<AgentEventList> {
    const { after, waitSeconds, limit, ...call } = options;
    const path = `/api/v1/events${query({ after: cursorText(after), wait: waitSeconds, limit })}`;
    const request = { path, answer: answers.AgentEventList, repeat: "read" } as const;
    return this.#api.getLater(request, waitSeconds ?? 0, call);
  }

  /**
   * Reads from how much on the agent hears of its fees.
   *
   * @returns the threshold of all tokens, if there is one, and those of single tokens
   * @example
   * ```ts
   * const { thresholds } = await client.feeThresholds();
   * for (const { tokenMint, claimableSOL } of thresholds) console.log(tokenMint ?? "all", claimableSOL);
   * ```
   */
  async feeThresholds(options: CallOptions = {}): Promise<FeeThresholdList> {
    return this.#api.get(thresholdPath(), answers.FeeThresholdList, options);
  }

  /**
   * Asks for an event `fees.claimable` once a token has this much to claim: every token, or with `tokenMint`
   * this one. The event comes once, and again after a claim, or after the fees were below the threshold.
   *
   * @param threshold `claimableSOL`: a number, or a decimal string, which is exact; up to 1 000 000
   * @returns all thresholds of the agent
   * @throws {ValidationError} if the amount is out of range
   * @throws {NotFoundError} `token_not_found`
   * @example
   * ```ts
   * await client.setFeeThreshold({ claimableSOL: 0.5 });
   * for await (const { type, data } of client.events({ after: "latest" })) {
   *   if (type === "fees.claimable" && data.tokenMint) await client.claim(data.tokenMint);
   * }
   * ```
   */
  async setFeeThreshold(
    threshold: { claimableSOL: number | string; tokenMint?: string | undefined },
    options: CallOptions = {},
  ): Promise<FeeThresholdList> {
    const { claimableSOL, tokenMint, ...others } = threshold;
    refuseOthers(others);
    const request = { path: thresholdPath(tokenMint), body: { claimableSOL } };
    return this.#api.post({ method: "PUT", ...request, answer: answers.FeeThresholdList }, options);
  }

  /**
   * Deletes the threshold of all tokens, or with `tokenMint` the one that this token has of its own.
   *
   * @returns the thresholds that the agent still has
   * @throws {NotFoundError} `token_not_found`
   * @example
   * ```ts
   * const { thresholds } = await client.deleteFeeThreshold();
   * console.log(thresholds.length, "tokens have a threshold of their own");
   * ```
   */
  async deleteFeeThreshold(
    { tokenMint, ...others }: { tokenMint?: string | undefined } = {},
    options: CallOptions = {},
  ): Promise<FeeThresholdList> {
    refuseOthers(others);
    const request = { path: thresholdPath(tokenMint), answer: answers.FeeThresholdList };
    return this.#api.post({ method: "DELETE", ...request }, options);
  }

  /**
   * Lists the agent's tokens, newest first: all of them, or one page.
   *
   * @returns the tokens, and `nextCursor` if `limit` was given and there are more
   * @example
   * ```ts
   * const { tokens, nextCursor: cursor } = await client.tokens({ limit: 100 });
   * if (cursor !== undefined) tokens.push(...(await client.tokens({ limit: 100, cursor })).tokens);
   * ```
   */
  async tokens(options: PageOptions = {}): Promise<TokenList> {
    const { limit, cursor, ...call } = options;
    return this.#api.get(`/api/v1/tokens/${query({ limit, cursor })}`, answers.TokenList, call);
  }

  /**
   * Reads one of the agent's tokens.
   *
   * @param mint base58 address of the token's mint
   * @throws {NotFoundError} `token_not_found` if this wallet launched no token with that mint
   * @example
   * ```ts
   * const { ticker, poolAddress } = await client.token(mint);
   * console.log(`${ticker} trades in ${poolAddress}`);
   * ```
   */
  async token(mint: string, options: CallOptions = {}): Promise<Token> {
    return this.#api.get(`/api/v1/tokens/${addressSegment(mint)}`, answers.Token, options);
  }

  /**
   * Reads the metadata document of any token of the service: its description, image and links. It needs
   * no sign-in.
   *
   * @param mint base58 address of the token's mint
   * @returns for example `image: "https://agent.example/logo.png"`, empty without an image
   * @throws {NotFoundError} `token_not_found`
   * @example
   * ```ts
   * const { image, website } = await client.metadata(mint);
   * console.log(image, website ?? "no website");
   * ```
   */
  async metadata(mint: string, options: CallOptions = {}): Promise<TokenMetadata> {
    const path = `/metadata/${addressSegment(mint)}.json`;
    return this.#api.getPublic(path, answers.TokenMetadata, options);
  }

  /**
   * Lists the fees of the agent's tokens in SOL, newest token first: all of them, or one page.
   *
   * @returns `claims`, for example with `claimableSOL: 0.0421`; `unreadable` names the tokens
   * whose fees cannot be read
   * @throws {ServiceUnavailableError} `chain_unavailable` or `wrong_cluster`
   * @example
   * ```ts
   * const { claims } = await client.claims();
   * for (const { ticker, claimableSOL } of claims) console.log(`${ticker}: ${claimableSOL} SOL`);
   * ```
   */
  async claims(options: PageOptions = {}): Promise<ClaimList> {
    const { limit, cursor, ...call } = options;
    const path = `/api/v1/tokens/claims${query({ limit, cursor })}`;
    return this.#api.get(path, answers.ClaimList, call);
  }

  /**
   * Reads the claims that have paid, newest first, page by page as it is iterated. Later claims are not among
   * them.
   *
   * @param options `token`, `from` and `to` choose among them
   * @returns for each claim its token, transaction, time, and lamports by kind as texts
   * @throws {NotFoundError} `token_not_found` if this wallet launched no such token
   * @example
   * ```ts
   * let lamports = 0n;
   * for await (const claim of client.claimHistory({ from: "2026-01-01", to: "2027-01-01" })) {
   *   lamports += BigInt(claim.claimedLamports);
   * }
   * console.log(`${lamports} lamports in 2026`);
   * ```
   */
  claimHistory(options: HistoryOptions = {}): AsyncGenerator<PaidClaim, void, undefined> {
    return claimHistory((page) => this.claimHistoryPage(page), options);
  }

  /**
   * Reads the claims that have paid, newest first: all of them, or one page.
   *
   * @returns the claims, and `nextCursor` if `limit` was given and there are more
   * @throws {NotFoundError} `token_not_found` if this wallet launched no such token
   * @example
   * ```ts
   * const { claims, nextCursor } = await client.claimHistoryPage({ token: mint, limit: 20 });
   * console.log(claims[0]?.claimedAt, nextCursor === undefined ? "all" : "and more");
   * ```
   */
  async claimHistoryPage(options: HistoryOptions & PageOptions = {}): Promise<ClaimHistory> {
    const { token, from, to, limit, cursor, ...call } = options;
    const times = { from: timeText("from", from), to: timeText("to", to) };
    const mint = token === undefined ? undefined : addressSegment(token);
    const path = `/api/v1/tokens/claims/history${query({ limit, cursor, token: mint, ...times })}`;
    return this.#api.get(path, answers.ClaimHistory, call);
  }

  /**
   * Claim, step 1: asks for the transaction that pays a token's fees to the agent. `signClaim`
   * checks and signs it; `claim` does all steps.
   *
   * @returns the unsigned transaction in base64, and for how many seconds it can be used
   * @throws {ConflictError} `no_fees_to_claim`
   * @throws {InsufficientSolError} if the wallet has too little SOL to claim
   * @throws {ChainRefusedError} `claim_build_failed`
   * @example
   * ```ts
   * const prepared = await client.prepareClaim(mint);
   * const signed = await client.signClaim(mint, prepared);
   * const { claimedSOL } = await client.submitClaim(mint, signed);
   * ```
   */
  async prepareClaim(mint: string, options: CallOptions = {}): Promise<PreparedClaim> {
    return this.#claimSteps.prepare(mint, options);
  }

  /**
   * Checks a prepared claim and has the signer sign it. It submits nothing. If the claim is a
   * sandbox's, it asks the server for the token's pool; with `rpcUrl` it also asks that node for
   * the token.
   *
   * @returns the signed transaction, base64, for `submitClaim`
   * @throws {ClaimCheckError} if the transaction does anything but pay fees to the agent
   * @throws {SignerError} if the signer fails or signs something else
   * @throws {RpcError} if the node of `rpcUrl` does not answer
   * @example
   * ```ts
   * const prepared = await client.prepareClaim(mint);
   * const signed = await client.signClaim(mint, prepared, {
   *   approve: (cost) => console.log(`at most ${cost.networkFeeLamports} lamports of fee`),
   * });
   * ```
   */
  async signClaim(
    mint: string,
    prepared: Pick<PreparedClaim, "transaction"> & { expiresInSeconds?: number },
    { approve, onRenew: _, ...call }: ClaimOptions = {},
  ): Promise<string> {
    refuseOthers(call);
    const { transaction, expiresInSeconds: life } = prepared;
    const expiresAt = life === undefined ? undefined : new Date(Date.now() + life * 1000);
    const cost = await this.#claimSteps.check([mint], transaction, call);
    await approve?.(cost, expiresAt);
    return this.#claimSteps.sign(prepared, expiresAt);
  }

  /**
   * Claim, step 2: submits the signed transaction and returns once it is confirmed. It is safe to
   * submit the same transaction again: it lands once, and the receipt is the same.
   *
   * @param signedTransaction base64, from `signClaim`
   * @returns the receipt, for example with `claimedSOL: 0.0421`
   * @throws {ConflictError} `claim_expired`: prepare it again
   * @throws {ChainRefusedError} `claim_refused`
   * @throws {ServiceUnavailableError} `claim_unsettled` if the server does not know the outcome yet
   * @throws {ClaimReceiptError} if the receipt is another transaction's, or with `rpcUrl` if it is
   * not what the cluster shows; {@link ClaimUnverifiedError} if the cluster does not show it
   * @example
   * ```ts
   * const signed = await client.signClaim(mint, await client.prepareClaim(mint));
   * const { claimedSOL, transactionHash } = await client.submitClaim(mint, signed);
   * ```
   */
  async submitClaim(
    mint: string,
    signedTransaction: string,
    options: CallOptions = {},
  ): Promise<ClaimResult> {
    return this.#claimSteps.submit(mint, signedTransaction, options);
  }

  /**
   * Claims all fees of a token: prepares, checks, signs, submits. If the transaction expired before
   * it landed, or the server no longer knows it, it starts over once.
   *
   * @returns the receipt, for example with `claimedSOL: 0.0421`
   * @throws {ConflictError} `no_fees_to_claim`
   * @throws {InsufficientSolError} if the wallet has too little SOL to claim
   * @throws {ClaimUnsettledError} if it is not known whether the claim was paid; claim again
   * @throws {ClaimCheckError} if the server's transaction does anything but pay the agent
   * @throws {ClaimReceiptError} if the receipt is not of the transaction that was signed
   * @example
   * ```ts
   * const { claimedSOL, transactionHash } = await client.claim(mint);
   * console.log(`${claimedSOL} SOL, ${transactionHash}`);
   * ```
   */
  async claim(mint: string, options: ClaimOptions = {}): Promise<ClaimResult> {
    return this.#claimSteps.claim(mint, options);
  }

  /**
   * Claims the fees of several tokens in one transaction: of those that have fees, as many as fit,
   * usually three. That takes one network fee and one signature. Call it again for the others.
   *
   * @param mints 1 to 20 of the agent's tokens
   * @returns the receipt, with the tokens whose fees were claimed in `tokenMints`
   * @throws what {@link claim} throws; `no_fees_to_claim` if none of them has fees
   * @example
   * ```ts
   * const { claims } = await client.claims();
   * const mints = claims.slice(0, 20).map(({ tokenMint }) => tokenMint);
   * const { claimedSOL, tokenMints } = await client.claimMany(mints);
   * console.log(`${claimedSOL} SOL of ${tokenMints.length} tokens`);
   * ```
   */
  async claimMany(mints: readonly string[], options: ClaimOptions = {}): Promise<ClaimManyResult> {
    return this.#claimSteps.claimMany(mints, options);
  }

  /**
   * Claims the fees of all tokens that have some: as many as fit with each transaction, and each by
   * itself once such a claim is refused. A claim that fails is an outcome of its token, and the others
   * go on; so is an abort, because claims before it have paid.
   *
   * @returns an outcome for each token, and the sum that was paid
   * @throws {ServiceUnavailableError} and what else `claims` throws, if the fees cannot be read
   * @example
   * ```ts
   * const { outcomes, claimedSOL } = await client.claimAll({ minLamports: 1_000_000 });
   * for (const outcome of outcomes) {
   *   if (outcome.kind === "failed") console.error(outcome.ticker, outcome.error);
   * }
   * console.log(`${claimedSOL} SOL`);
   * ```
   */
  async claimAll(options: ClaimAllOptions = {}): Promise<ClaimAllResult> {
    return claimAll(this, options);
  }

  /**
   * Reads the server's health. The request is sent once and needs no wallet.
   *
   * @returns also for a server that is not well: then `ok` is false and `message` says why
   * @example
   * ```ts
   * const { ok, message } = await client.health();
   * if (!ok) console.error(message);
   * ```
   */
  async health(options: CallOptions = {}): Promise<Health> {
    const request = { method: "GET", path: "/health", answer: answers.Health } as const;
    return this.#api.call({ ...request, alsoAnswers: [503], repeat: "never" }, options);
  }
}
