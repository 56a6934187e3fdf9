import type * as wire from "@tokenctl/shared/types";
import { DevClient } from "./dev.ts";
import { InvalidResponseError } from "./errors.ts";
import { answers } from "./internal/answers.ts";
import { Api } from "./internal/api.ts";
import {
  addressSegment,
  imageBytes,
  query,
  refuseOthers,
  uuidSegment,
} from "./internal/arguments.ts";
import { showCallers } from "./internal/call-stack.ts";
import { claimAll } from "./internal/claim-all.ts";
import { Claims } from "./internal/claims.ts";
import { canHaveValue, clusterOf } from "./internal/cluster.ts";
import { followEvents } from "./internal/event-stream.ts";
import { quoteFirstBuy } from "./internal/first-buy.ts";
import { HandOvers } from "./internal/hand-overs.ts";
import { Launches } from "./internal/launches.ts";
import { tokenLifeSeconds } from "./internal/session.ts";
import { readSettings } from "./internal/settings.ts";
import { waitForLaunch } from "./internal/wait-for-launch.ts";
import type { LaunchList, LaunchStatus } from "./narrowed-answers.ts";
import { type AgentEvent, type AgentEventList, narrowedAnswers } from "./narrowed-answers.ts";
import type {
  AgentLaunchOptions,
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
  FirstBuyQuote,
  HandOverOptions,
  HandOverResult,
  HistoryOptions,
  LaunchListOptions,
  LaunchOptions,
  PageOptions,
  PrepareClaimOptions,
  QuoteOptions,
  SignedHandOver,
  TokenListOptions,
  WaitOptions,
} from "./options.ts";
import { WebhooksClient } from "./webhooks.ts";

/** The result of `login`. */
export interface Login {
  /** The wallet that signed in, base58. */
  wallet: string;
  /** The bearer token (JWT): anyone who holds it can act for the wallet until it expires. */
  token: string;
  /** Seconds until the token expires, for example 900; null if the token does not say. */
  expiresInSeconds: number | null;
}

const LAUNCH = "/api/v1/tokens/launch";
const THRESHOLD = "/api/v1/events/threshold";
/** Claims per request of the history, and the most requests: a server must not keep it running. */
const HISTORY_PAGE = 500;
const HISTORY_PAGES = 10_000;

// Over 300 lines, because most of them document one public class; internal/ does its work.
/**
 * A client of a token launch service, for one agent. It signs in when a call requires it, retries a
 * request only if that is safe, and signs a claim only after it has checked what the claim does.
 *
 * Every method throws only {@link TokenctlError}s, apart from errors that your own `approve`
 * throws. A method that takes a launch or token throws an {@link ApiError} `launch_not_found` or
 * `token_not_found` if it does not exist or belongs to another agent.
 *
 * @example
 * import { readFile } from "node:fs/promises";
 * import { keypairSigner, TokenctlClient } from "@tokenctl/sdk";
 *
 * const client = new TokenctlClient({
 *   apiUrl: "https://tokens.example",
 *   signer: keypairSigner(await readFile("agent.json", "utf8")),
 * });
 */
export class TokenctlClient {
  /** The server's address, without a trailing slash. */
  readonly apiUrl: string;
  /** Airdrops, trades and graduation on a sandbox server. */
  readonly dev: DevClient;
  /** The receivers that the server sends the agent's events to. */
  readonly webhooks: WebhooksClient;
  readonly #api: Api;
  readonly #claims: Claims;
  readonly #handOvers: HandOvers;
  readonly #launches: Launches;

  /** @throws {InvalidArgumentError} if an option cannot be used */
  constructor(options: ClientOptions = {}) {
    const settings = readSettings(options);
    this.apiUrl = settings.apiUrl;
    this.#api = new Api(settings);
    this.#claims = new Claims(this.#api);
    this.#handOvers = new HandOvers(this.#api, this.#claims);
    this.#launches = new Launches(this.#api);
    this.webhooks = new WebhooksClient(this.#api);
    this.dev = new DevClient(this.#api);
  }

  /**
   * The agent's wallet, base58: the signer's address, or the wallet that the bearer token names.
   *
   * @throws {TokenctlError} `signer_required` if the client has neither
   */
  get address(): string {
    return this.#api.wallet;
  }

  /**
   * Signs in now. You need this only to get the bearer token: other calls sign in by themselves.
   *
   * @throws {ApiError} `invalid_nonce`, `invalid_signature`
   * @throws {TokenctlError} `nonce_refused` if the signed nonce could be used to sign in elsewhere
   * @throws {SignerError} if the signer fails
   */
  async login(options: CallOptions = {}): Promise<Login> {
    const wallet = this.address;
    const token = await this.#api.login(options);
    return { wallet, token, expiresInSeconds: tokenLifeSeconds(token) };
  }

  /**
   * Reads the SOL of the agent's wallet, or of another one.
   *
   * @throws {ApiError} `chain_unavailable`, `wrong_cluster`
   */
  async balance(options: BalanceOptions = {}): Promise<wire.WalletBalance> {
    const { wallet, ...call } = options;
    const path = `/api/v1/wallet${query({ wallet: wallet && addressSegment(wallet) })}`;
    return this.#api.get(path, answers.WalletBalance, call);
  }

  /**
   * Requests the launch of a token. It returns once the server has stored the launch;
   * `waitForLaunch` returns how it ended. If the agent pays, the call checks the launch before the
   * server stores it and signs its transaction afterwards. If it does not sign, it cancels the
   * launch that it stored; if the launch remains, the error has its `eventId`.
   *
   * @throws {InvalidArgumentError} if the name is too long for the chain and the call has neither
   * `onChainName` nor `allowShortenedName`, if `maxCostSOL` is not an amount, if nothing shows what
   * the launch costs, or if nothing limits what its first buy gets
   * @throws {OverLimitError} if it costs more than `maxCostSOL` or `maxNetworkFeeLamports`
   * @throws {ApiError} `launch_unaffordable`, `paused`, `queue_full`, `daily_budget_spent`
   * @throws {CheckError} if the transaction does anything but this launch
   * @example
   * const { eventId } = await client.launch(
   *   { name: "dogwifhat", ticker: "WIF" },
   *   { idempotencyKey: "wif-2026-01-31" }, // the same key never launches twice
   * );
   */
  async launch(
    request: wire.LaunchRequest,
    options: LaunchOptions = {},
  ): Promise<wire.LaunchAccepted> {
    return this.#launches.launch(request, options);
  }

  /**
   * Signs a launch that the agent pays for and that waits for `agent_signature`. `launch` signs it
   * too, but that transaction may expire before it lands. The call signs a transaction only if it
   * launches what `request` says and stays within the cost limits. The launch remains after
   * an error, which has its `eventId`.
   *
   * @throws {CheckError} if the transaction does anything else; nothing was signed
   * @throws {OverLimitError} if it costs more than `maxCostSOL` or `maxNetworkFeeLamports`
   * @throws {ApiError} `not_signable`, `launch_unaffordable`
   * @throws {InvalidArgumentError} if nothing limits what its first buy gets
   * @throws {SignerError} if the signer failed
   * @example
   * const request = { name: "dogwifhat", ticker: "WIF", payer: "agent" } as const;
   * const { eventId } = await client.launch(request, { maxCostSOL: 0.05 });
   * const { waitingFor } = await client.launchStatus(eventId);
   * if (waitingFor === "agent_signature") await client.signLaunch(eventId, request);
   */
  async signLaunch(
    eventId: string,
    request: wire.LaunchRequest,
    options: AgentLaunchOptions = {},
  ): Promise<wire.LaunchAccepted> {
    return this.#launches.sign(eventId, request, options);
  }

  /**
   * Redeems an invite at a service that requires one.
   *
   * @param code in any case, with or without spaces and hyphens
   * @throws {ApiError} `invite_invalid`, `wallet_blocked`
   */
  async redeemInvite(code: string, options: CallOptions = {}): Promise<wire.RedeemedInvite> {
    const request = { path: "/api/v1/invites/redeem", body: { code } };
    return this.#api.post({ ...request, answer: answers.RedeemedInvite }, options);
  }

  /**
   * Uploads an image for a launch. The server keeps only its pixels, at most 1024 per side. An
   * image that no launch uses expires after 24 hours.
   *
   * @param image a PNG, JPEG, WebP or GIF of at most 2 MiB and 4096 pixels per side
   * @returns the `url` for the launch's `imageUrl`; the same image always has the same URL
   * @throws {InvalidArgumentError} if the image is empty or too large; nothing is sent
   * @throws {ApiError} `image_refused`, `agent_image_limit`, `share_used`, `uploads_busy`
   * @example
   * import { readFile } from "node:fs/promises";
   *
   * const { url } = await client.uploadImage(await readFile("logo.png"));
   * await client.launch({ name: "dogwifhat", ticker: "WIF", imageUrl: url });
   */
  async uploadImage(
    image: Uint8Array | Blob,
    options: CallOptions = {},
  ): Promise<wire.UploadedImage> {
    const bytes = await imageBytes(image);
    const answer = answers.UploadedImage;
    return this.#api.post({ path: "/api/v1/images", bytes, answer }, options);
  }

  /**
   * Returns how this launch would end, without launching or reserving anything. If the agent pays
   * for the launch, `payment` says what it costs and whether the wallet can pay.
   *
   * @example
   * const request = { name: "dogwifhat", ticker: "WIF" };
   * const { ok, refusals } = await client.checkLaunch(request);
   * if (ok) await client.launch(request);
   * else for (const { code, error } of refusals) console.error(code, error); // such as ticker_taken
   */
  async checkLaunch(
    request: wire.LaunchRequest,
    options: CallOptions = {},
  ): Promise<wire.LaunchCheck> {
    return this.#launches.check(request, options);
  }

  /**
   * Calculates what the first buy of a request gets, for its `firstBuyMinTokens`. It uses the
   * config on the node of `rpcUrl`, or the curve and the fee that the server names without a node.
   *
   * @throws {InvalidArgumentError} if no curve is shown or sells that much, or it pays a partner
   * @example
   * const request = { name: "dogwifhat", ticker: "WIF", payer: "agent", firstBuySOL: 0.1 } as const;
   * const { minTokens } = await client.quoteFirstBuy(request);
   * await client.launch({ ...request, firstBuyMinTokens: minTokens });
   */
  async quoteFirstBuy(
    request: wire.LaunchRequest,
    options: QuoteOptions = {},
  ): Promise<FirstBuyQuote> {
    const check = this.#launches.check.bind(this.#launches);
    return quoteFirstBuy(this.#api.settings, check, request, options);
  }

  /**
   * Puts a launch that ended `failed` or `rate_limited` back in the queue, under the same id.
   *
   * @throws {ApiError} `not_retryable`, `ticker_taken`
   */
  async retryLaunch(eventId: string, options: CallOptions = {}): Promise<wire.LaunchAccepted> {
    const path = `${LAUNCH}/${uuidSegment(eventId)}/retry`;
    return this.#api.change({ path, answer: answers.LaunchAccepted }, options);
  }

  /** Reads the origin of any agent's token. It needs no signer. */
  async publicToken(mint: string, options: CallOptions = {}): Promise<wire.PublicToken> {
    const path = `/public/tokens/${addressSegment(mint)}`;
    return this.#api.getPublic(path, answers.PublicToken, options);
  }

  /** Reads the price, bonding curve and last day of any agent's token. It needs no signer. */
  async market(mint: string, options: CallOptions = {}): Promise<wire.MarketHistory> {
    const path = `/public/tokens/${addressSegment(mint)}/market`;
    return this.#api.getPublic(path, answers.MarketHistory, options);
  }

  /**
   * Reads what `verifyToken` shows about any agent's token, as the service has read it from the
   * chain in the last few minutes. It needs no signer. A sandbox has no proofs.
   *
   * @throws {ApiError} `token_not_found`, `not_found`, `chain_unavailable`
   */
  async tokenProof(mint: string, options: CallOptions = {}): Promise<wire.CheckedProof> {
    const path = `/public/tokens/${addressSegment(mint)}/proof`;
    return this.#api.getPublic(path, answers.CheckedProof, options);
  }

  /** Reads the status of a launch once. */
  async launchStatus(eventId: string, options: CallOptions = {}): Promise<LaunchStatus> {
    return this.#launches.status(eventId, options);
  }

  /** Lists the agent's launches, newest first, for example to find a lost event id. */
  async launches(options: LaunchListOptions = {}): Promise<LaunchList> {
    const { status, limit, cursor, ...call } = options;
    const path = `/api/v1/tokens/launches${query({ status, limit, cursor })}`;
    return this.#api.get(path, narrowedAnswers.launches, call);
  }

  /**
   * Cancels a pending launch that is not signed yet. It ends `failed` with the error `Cancelled by
   * its agent`, and its ticker is free at once. A second call returns the same status.
   *
   * @throws {ApiError} `not_cancellable`
   */
  async cancelLaunch(eventId: string, options: CallOptions = {}): Promise<LaunchStatus> {
    return this.#launches.cancel(eventId, options);
  }

  /**
   * Waits until a launch has ended. A failed launch is not an error: read the `status`. The server
   * answers when the launch ends. The client polls if the server or a proxy does not let requests
   * wait, and for up to a minute while the server is away.
   *
   * @returns the first status that is `success`, `failed` or `rate_limited`
   * @throws {TimeoutError} after `timeoutMs`; the launch itself continues
   * @example
   * const launch = await client.waitForLaunch(eventId, { timeoutMs: 120_000 });
   * if (launch.status !== "success") throw new Error(launch.error ?? launch.status);
   * console.log(launch.tokenMint);
   */
  async waitForLaunch(eventId: string, options: WaitOptions = {}): Promise<LaunchStatus> {
    const read = (signal: AbortSignal, waitSeconds: number) =>
      this.#launches.status(eventId, { signal }, waitSeconds);
    return waitForLaunch(read, eventId, options);
  }

  /**
   * Receives the agent's events, oldest first, then each as it happens. If the connection breaks,
   * the token expires or the server goes away, it reconnects and continues after the last event, so
   * that none is missed or repeated. To end it, leave the loop or abort the signal.
   *
   * Store each event's `id` once you have handled it, and pass it as `after` when you restart.
   *
   * @throws {ApiError} `events_gone` if events after the cursor were deleted
   * @throws what any call throws if the first connection fails; later, it retries without a limit
   * unless the server's refusal is final
   * @example
   * for await (const event of client.events({ after: 17 })) {
   *   console.log(event.id, event.type, event.data.ticker);
   *   if (event.type === "claim.confirmed") break;
   * }
   */
  events(options: EventOptions = {}): AsyncGenerator<AgentEvent, void, undefined> {
    const { after, ...call } = options;
    refuseOthers(call);
    const open = (cursor: EventOptions["after"], signal: AbortSignal) =>
      this.#api.openStream(`/api/v1/events/stream${query({ after: cursor })}`, signal);
    return followEvents(open, after, call.signal);
  }

  /**
   * Reads events once, oldest first. With `waitSeconds` it waits for one if there is none.
   *
   * @throws {ApiError} `events_gone`
   */
  async eventList(options: EventListOptions = {}): Promise<AgentEventList> {
    const { after, waitSeconds, limit, ...call } = options;
    const path = `/api/v1/events${query({ after, wait: waitSeconds, limit })}`;
    const request = { path, answer: narrowedAnswers.events, repeat: "read" } as const;
    return this.#api.getLater(request, waitSeconds ?? 0, call);
  }

  /** Reads the threshold of `fees.claimable` events. */
  async feeThreshold(options: CallOptions = {}): Promise<wire.FeeThreshold> {
    return this.#api.get(THRESHOLD, answers.FeeThreshold, options);
  }

  /**
   * Requests a `fees.claimable` event when the claimable fees of a token reach an amount. It comes
   * once for each token, and again after a claim or a fall below it.
   *
   * @param threshold `claimableSOL`: up to 1 000 000
   * @example
   * await client.setFeeThreshold({ claimableSOL: 0.5 });
   * for await (const { type, data } of client.events({ after: "latest" })) {
   *   if (type === "fees.claimable" && data.tokenMint) await client.claim(data.tokenMint);
   * }
   */
  async setFeeThreshold(
    { claimableSOL, ...others }: { claimableSOL: number },
    options: CallOptions = {},
  ): Promise<wire.FeeThreshold> {
    refuseOthers(others);
    const request = { path: THRESHOLD, body: { claimableSOL }, answer: answers.FeeThreshold };
    return this.#api.post({ method: "PUT", ...request }, options);
  }

  /** Deletes the threshold: no more `fees.claimable` events come. */
  async deleteFeeThreshold(options: CallOptions = {}): Promise<wire.FeeThreshold> {
    const request = { path: THRESHOLD, answer: answers.FeeThreshold };
    return this.#api.post({ method: "DELETE", ...request }, options);
  }

  /** Lists the agent's tokens, newest first; with `received` also those that it accepted. */
  async tokens(options: TokenListOptions = {}): Promise<wire.TokenList> {
    const { limit, cursor, received, ...call } = options;
    const path = `/api/v1/tokens/${query({ limit, cursor, received })}`;
    return this.#api.get(path, answers.TokenList, call);
  }

  /**
   * Reads one of the agent's tokens.
   *
   * @param mint the token's mint address, base58
   */
  async token(mint: string, options: CallOptions = {}): Promise<wire.Token> {
    return this.#api.get(`/api/v1/tokens/${addressSegment(mint)}`, answers.Token, options);
  }

  /** Reads the description, image and links of any agent's token. It needs no signer. */
  async metadata(mint: string, options: CallOptions = {}): Promise<wire.TokenMetadata> {
    const path = `/metadata/${addressSegment(mint)}.json`;
    return this.#api.getPublic(path, answers.TokenMetadata, options);
  }

  /**
   * Lists the fees of the agent's tokens in SOL, newest token first. `unreadable` names the tokens
   * whose fees cannot be read.
   *
   * @throws {ApiError} `chain_unavailable`, `wrong_cluster`
   */
  async claims(options: TokenListOptions = {}): Promise<wire.ClaimList> {
    const { limit, cursor, received, ...call } = options;
    const path = `/api/v1/tokens/claims${query({ limit, cursor, received })}`;
    return this.#api.get(path, answers.ClaimList, call);
  }

  /**
   * Reads the paid claims, newest first, page by page as you iterate. It leaves out claims made
   * after it starts.
   *
   * @example
   * let lamports = 0n;
   * for await (const claim of client.claimHistory()) lamports += BigInt(claim.claimedLamports);
   * console.log(`${lamports} lamports in all`);
   */
  async *claimHistory(
    options: HistoryOptions = {},
  ): AsyncGenerator<wire.PaidClaim, void, undefined> {
    const seen = new Set<string | undefined>();
    for (let cursor: string | undefined; !seen.has(cursor) && seen.size < HISTORY_PAGES; ) {
      seen.add(cursor);
      const page = { ...options, limit: HISTORY_PAGE, cursor };
      const { claims, nextCursor } = await this.claimHistoryPage(page);
      yield* claims;
      if (nextCursor === undefined) return;
      if (claims.length === 0) break;
      cursor = nextCursor;
    }
    throw new InvalidResponseError("The pages of the claim history never end", 200);
  }

  /** Reads the claims that have paid, newest first: all of them, or one page. */
  async claimHistoryPage(options: HistoryOptions & PageOptions = {}): Promise<wire.ClaimHistory> {
    const { token, limit, cursor, ...call } = options;
    const mint = token === undefined ? undefined : addressSegment(token);
    const path = `/api/v1/tokens/claims/history${query({ limit, cursor, token: mint })}`;
    return this.#api.get(path, answers.ClaimHistory, call);
  }

  /**
   * Claim, step 1: requests the unsigned transaction that pays a token's fees to the agent, or to
   * the receivers in `to`. `claim` does all three steps.
   *
   * @throws {ApiError} `no_fees_to_claim`, `claim_build_failed`
   * @example
   * const prepared = await client.prepareClaim(mint);
   * const signed = await client.signClaim(mint, prepared);
   * const { claimedSOL } = await client.submitClaim(mint, signed);
   */
  async prepareClaim(mint: string, options: PrepareClaimOptions = {}): Promise<wire.PreparedClaim> {
    return this.#claims.prepare(mint, options);
  }

  /**
   * Claim, step 2: checks a prepared claim and has the signer sign it. For a claim on a sandbox it
   * reads the token's pool from the server; with `rpcUrl` it also looks the token up on that node.
   * `to` must name the same receivers as in step 1.
   *
   * @returns the signed transaction, base64, for `submitClaim`
   * @throws {CheckError} if the transaction does anything but pay fees to the agent or receivers
   * @throws {SignerError} if the signer fails or signs something else
   * @throws {RpcError} if the node of `rpcUrl` does not answer
   */
  async signClaim(
    mint: string,
    { transaction }: Pick<wire.PreparedClaim, "transaction">,
    { approve, to, ...call }: ClaimOptions = {},
  ): Promise<string> {
    refuseOthers(call);
    const cost = await this.#claims.check([mint], transaction, { to, ...call });
    await approve?.(cost, transaction);
    return this.#claims.sign(transaction);
  }

  /**
   * Claim, step 3: submits the signed transaction and returns once it is confirmed. You can submit
   * the same transaction again: it lands once, and the receipt is the same.
   *
   * @param signedTransaction base64, from `signClaim`
   * @throws {ApiError} `claim_expired`, `claim_refused`, `claim_unsettled`
   * @throws {ClaimReceiptError} if the receipt is wrong, or `rpcUrl`'s node does not show the claim
   */
  async submitClaim(
    mint: string,
    signedTransaction: string,
    options: CallOptions = {},
  ): Promise<ClaimResult> {
    return this.#claims.submit(mint, signedTransaction, options);
  }

  /**
   * Claims all fees of a token: prepares, checks, signs and submits. It starts over once if the
   * transaction expired before it landed, or if the server no longer knows it. With `to` the fees
   * go to other wallets in the same transaction, which can transfer only what it claims.
   *
   * @throws what {@link prepareClaim}, {@link signClaim} and {@link submitClaim} throw
   * @throws {ClaimUnsettledError} if it is not known whether the claim was paid: claim again
   * @example
   * const { claimedSOL, transactionHash } = await client.claim(mint);
   * console.log(`${claimedSOL} SOL, ${transactionHash}`);
   * // Or to other wallets:
   * const vault = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU";
   * await client.claim(mint, { to: [{ address: vault, share: 70 }, { address: client.address, share: 30 }] });
   */
  async claim(mint: string, options: ClaimOptions = {}): Promise<ClaimResult> {
    return this.#claims.claim(mint, options);
  }

  /**
   * Claims the fees of several tokens with one transaction, one network fee and one signature. It
   * takes as many tokens with fees as fit, usually three; call it again for the others.
   *
   * @param mints 1 to 20 of the agent's tokens
   * @throws what {@link claim} throws; `no_fees_to_claim` if none of them has fees
   */
  async claimMany(mints: readonly string[], options: ClaimOptions = {}): Promise<ClaimManyResult> {
    return this.#claims.claimMany(mints, options);
  }

  /**
   * Claims the fees of all tokens, several per transaction; if such a claim fails, one by one. A
   * failed claim is an outcome of its token, and the others continue. An abort is an outcome too,
   * because earlier claims have paid.
   *
   * @throws what {@link claims} throws
   * @example
   * const { outcomes, claimedSOL } = await client.claimAll({ minLamports: 1_000_000 });
   * for (const outcome of outcomes) {
   *   if (outcome.kind === "failed") console.error(outcome.ticker, outcome.error);
   * }
   * console.log(`${claimedSOL} SOL`);
   */
  async claimAll(options: ClaimAllOptions = {}): Promise<ClaimAllResult> {
    return claimAll(this, options);
  }

  /**
   * Hands a token over: another wallet gets the fees that it earns from then on. The call claims
   * the open fees first, then checks and signs the transaction. The transaction gives away the
   * role of the pool's creator and, after migration, the NFT of the agent's position; the agent
   * pays the rent of the NFT's new account. The call starts over if the transaction expires.
   *
   * @throws {ApiError} `creator_changed`
   * @throws {HandOverUnsettledError} if it is not known whether it landed
   * @throws what {@link claim} throws
   * @example
   * const { claimed, transactionHash } = await client.handOver(mint, {
   *   to: "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin",
   *   approve: ({ rentLamports }) => console.log(`rent: ${rentLamports} lamports`),
   * });
   * for (const { claimedSOL } of claimed) console.log(`claimed ${claimedSOL} SOL`);
   * console.log(transactionHash);
   */
  async handOver(mint: string, options: HandOverOptions): Promise<HandOverResult> {
    return this.#handOvers.handOver(mint, options);
  }

  /**
   * Submits a signed hand-over, for example that of a {@link HandOverUnsettledError}. You can
   * submit the same transaction again: it lands once, and the answer is the same.
   *
   * @throws {ApiError} `hand_over_expired`, `hand_over_unsettled`
   */
  async submitHandOver(
    mint: string,
    signed: SignedHandOver,
    options: CallOptions = {},
  ): Promise<wire.HandOverReceipt> {
    return this.#handOvers.submit(mint, signed, options);
  }

  /**
   * Accepts a token that another wallet has handed over to the agent. From then on it raises
   * events, and lists include it with `received`. A claim of its fees accepts it too.
   */
  async acceptToken(mint: string, options: CallOptions = {}): Promise<wire.Token> {
    const path = `/api/v1/tokens/received/${addressSegment(mint)}`;
    return this.#api.post({ path, answer: answers.Token }, options);
  }

  /**
   * Lists the newest 100 tokens that other wallets have handed over to the agent and that it has
   * not accepted. A name or ticker proves nothing: anyone can hand over a token.
   */
  async waitingTokens(options: CallOptions = {}): Promise<wire.TokenList> {
    return this.#api.get("/api/v1/tokens/waiting", answers.TokenList, options);
  }

  /**
   * Reads which chain this is from the genesis hash of `rpcUrl`'s node. Without `rpcUrl`, it takes
   * the server's word.
   *
   * @returns for example `mainnet-beta`; undefined if the server does not name it
   */
  async network(options: CallOptions = {}): Promise<wire.Network | undefined> {
    const ofNode = await clusterOf(this.#api.settings, options.signal);
    return ofNode ?? (await this.health(options)).network;
  }

  /**
   * Returns whether SOL has a value where an unsigned transaction can land: false if the bytes let
   * it land only on a sandbox, or if the node of `rpcUrl` is a localnet's. No server is asked.
   *
   * @param transaction in base64, as `approve` gets it
   * @throws {RpcError} if the node does not answer
   * @example
   * await client.claim(mint, {
   *   async approve(cost, transaction) {
   *     if (await client.hasValue(transaction)) throw new Error("This is not a sandbox");
   *   },
   * });
   */
  async hasValue(transaction: string, options: CallOptions = {}): Promise<boolean> {
    return canHaveValue(this.#api.settings, transaction, options.signal);
  }

  /**
   * Reads the server's health. The request is sent once and needs no signer. An unhealthy server is
   * not an error: `ok` is false, and `message` says why.
   */
  async health(options: CallOptions = {}): Promise<wire.Health> {
    const request = { method: "GET", path: "/health", answer: answers.Health } as const;
    return this.#api.call({ ...request, alsoAnswers: [503], repeat: "never" }, options);
  }
}

for (const api of [TokenctlClient, DevClient, WebhooksClient]) showCallers(api);
