import type {
  Challenge,
  ClaimList,
  ClaimReceipt,
  Health,
  LaunchAccepted,
  LaunchRequest,
  LaunchStatus,
  PreparedClaim,
  Session,
  Token,
  TokenList,
} from "@tokenctl/shared/types";
import { needsSandboxPool } from "./claim-check.ts";
import { ClaimReceiptError } from "./claim-errors.ts";
import { DevClient } from "./dev.ts";
import { SignerRequiredError } from "./errors.ts";
import type { Answer } from "./internal/answers.ts";
import { answers } from "./internal/answers.ts";
import type { Call } from "./internal/caller.ts";
import { call, callSignedIn } from "./internal/caller.ts";
import { claimFees } from "./internal/claim.ts";
import { priceOnCluster } from "./internal/cluster.ts";
import { isLoopback } from "./internal/loopback.ts";
import {
  addressSegment,
  eventIdSegment,
  idempotencyKey,
  pageQuery,
} from "./internal/request-parts.ts";
import type { RetryPolicy } from "./internal/retry.ts";
import { Rpc } from "./internal/rpc.ts";
import { SessionKeeper, tokenLifeSeconds } from "./internal/session.ts";
import { signIn } from "./internal/sign-in.ts";
import type { Transport } from "./internal/transport.ts";
import { createTransport } from "./internal/transport.ts";
import { verifyClaim } from "./internal/verify-claim.ts";
import { waitForLaunch } from "./internal/wait-for-launch.ts";
import { transactionHash } from "./internal/wire-transaction.ts";
import type {
  CallOptions,
  ClaimOptions,
  ClaimResult,
  ClientOptions,
  LaunchOptions,
  PageOptions,
  WaitOptions,
} from "./options.ts";
import { lamports, parseApiUrl, parseRpcUrl, wholeNumber } from "./options.ts";
import { decodeClaim, signClaim } from "./sign-claim.ts";
import type { Signer } from "./signer.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_SUBMIT_TIMEOUT_MS = 120_000;
const DEFAULT_MAX_RETRIES = 3;
/** A tokend bids half of it at most. */
const DEFAULT_MAX_NETWORK_FEE_LAMPORTS = 100_000n;

/** A fresh sign-in. */
export interface Login {
  /** The wallet that signed in. */
  wallet: string;
  /** The bearer token (JWT). Whoever has it acts for the wallet until it ends. */
  token: string;
  /** Seconds from now for which the token is good; null where it does not tell. */
  expiresInSeconds: number | null;
}

/**
 * Client of a token launch service, for one agent. It signs in when it must, sends again what is
 * safe to send again, and signs a claim only after checking what it does.
 *
 * All methods throw {@link TokenctlError}s alone.
 */
export class TokenctlClient {
  /** The server's address, without a slash at its end. */
  readonly apiUrl: string;
  /** Airdrops, trades and graduation, on a sandbox server. */
  readonly dev: DevClient;
  readonly #signer: Signer | undefined;
  readonly #transport: Transport;
  readonly #session: SessionKeeper;
  readonly #retry: RetryPolicy;
  readonly #timeoutMs: number;
  readonly #submitTimeoutMs: number;
  readonly #maxNetworkFeeLamports: bigint;
  readonly #mayBeSandbox: boolean;
  readonly #allowNonceWithoutHost: boolean;
  readonly #rpc: Rpc | null;

  /** @throws {InvalidArgumentError} where an option cannot be used */
  constructor(options: ClientOptions = {}) {
    this.apiUrl = parseApiUrl(options.apiUrl);
    this.#signer = options.signer;
    this.#transport = createTransport(this.apiUrl, options.fetch);
    this.#session = new SessionKeeper(async (signal) => (await this.#signIn(signal)).token);
    this.#retry = {
      maxRetries: wholeNumber("maxRetries", options.maxRetries, DEFAULT_MAX_RETRIES, 0),
      onRetry: options.onRetry,
    };
    this.#timeoutMs = wholeNumber("timeoutMs", options.timeoutMs, DEFAULT_TIMEOUT_MS, 1);
    this.#submitTimeoutMs = wholeNumber(
      "submitTimeoutMs",
      options.submitTimeoutMs,
      Math.max(DEFAULT_SUBMIT_TIMEOUT_MS, this.#timeoutMs),
      1,
    );
    this.#maxNetworkFeeLamports = lamports(
      "maxNetworkFeeLamports",
      options.maxNetworkFeeLamports ?? DEFAULT_MAX_NETWORK_FEE_LAMPORTS,
    );
    this.#allowNonceWithoutHost = options.allowNonceWithoutHost === true;
    this.#mayBeSandbox = options.allowSandboxClaims === true || isLoopback(new URL(this.apiUrl));
    this.#rpc =
      options.rpcUrl === undefined
        ? null
        : new Rpc(parseRpcUrl(options.rpcUrl), options.fetch, {
            policy: this.#retry,
            timeoutMs: this.#timeoutMs,
          });
    this.dev = new DevClient((path, body, answer, callOptions) =>
      this.#callSignedIn({
        method: "POST",
        path,
        body,
        answer,
        repeat: "refused",
        ...this.#limits(callOptions),
      }),
    );
  }

  /**
   * The agent's wallet, base58.
   *
   * @throws {SignerRequiredError} where the client has no signer
   */
  get address(): string {
    return this.#requireSigner().publicKey;
  }

  /**
   * Asks for a nonce to sign in with. `login` does this by itself.
   *
   * @param wallet base58 address; default: the signer's
   */
  async challenge(wallet: string = this.address, options: CallOptions = {}): Promise<Challenge> {
    return this.#call({
      method: "POST",
      path: "/api/auth/challenge",
      body: { wallet },
      answer: answers.challenge,
      repeat: "repeatable",
      ...this.#limits(options),
    });
  }

  /**
   * Trades a signed nonce for a bearer token. Sent once: a nonce is spent by any verify that names
   * it. The token is not kept by this client; `login` does the whole by itself.
   *
   * @param proof the wallet, its nonce, and the signature (base58) of `signInMessage(nonce)`
   * @throws {AuthenticationError} `invalid_nonce` or `invalid_signature`
   */
  async verify(
    proof: { wallet: string; nonce: string; signature: string },
    options: CallOptions = {},
  ): Promise<Session> {
    const { wallet, nonce, signature } = proof;
    return this.#call({
      method: "POST",
      path: "/api/auth/verify",
      body: { wallet, nonce, signature },
      answer: answers.session,
      repeat: "never",
      ...this.#limits(options),
    });
  }

  /**
   * Signs in now. Not needed before other calls, which sign in by themselves.
   *
   * @throws {AuthenticationError} where the server refuses the wallet's signature
   * @throws {NonceError} if the server's nonce could sign in elsewhere
   */
  async login(options: CallOptions = {}): Promise<Login> {
    const wallet = this.address;
    const token = await this.#session.renew(options.signal);
    const life = tokenLifeSeconds(token);
    return { wallet, token, expiresInSeconds: Number.isFinite(life) ? life : null };
  }

  /**
   * Asks for a token to be launched. The answer means that the launch is stored and queued;
   * `waitForLaunch` tells how it ends.
   *
   * @returns its `eventId`
   * @throws {ValidationError} with `details` that name the fields
   * @throws {ConflictError} `ticker_taken`
   */
  async launch(request: LaunchRequest, options: LaunchOptions = {}): Promise<LaunchAccepted> {
    return this.#callSignedIn({
      method: "POST",
      path: "/api/v1/tokens/launch",
      headers: { "idempotency-key": idempotencyKey(options.idempotencyKey) },
      body: request,
      answer: answers.launch,
      repeat: "repeatable",
      ...this.#limits(options),
    });
  }

  /**
   * Puts a launch that ended `failed` or `rate_limited` back in the queue, under the same id.
   *
   * @throws {ConflictError} `not_retryable` where it is pending or has succeeded
   */
  async retryLaunch(eventId: string, options: CallOptions = {}): Promise<LaunchAccepted> {
    return this.#callSignedIn({
      method: "POST",
      path: `/api/v1/tokens/launch/${eventIdSegment(eventId)}/retry`,
      answer: answers.launch,
      repeat: "refused",
      ...this.#limits(options),
    });
  }

  /** @throws {NotFoundError} where this wallet has no such launch */
  async launchStatus(eventId: string, options: CallOptions = {}): Promise<LaunchStatus> {
    return this.#get(
      `/api/v1/tokens/launch/status/${eventIdSegment(eventId)}`,
      answers.launchStatus,
      options,
    );
  }

  /**
   * Polls until a launch has ended, one way or another: look at the `status` returned.
   *
   * A server that goes away meanwhile is waited for, up to a minute.
   *
   * @returns the first status that is `success`, `failed` or `rate_limited`
   * @throws {LaunchWaitTimeoutError} after `timeoutMs`; the launch itself goes on
   */
  async waitForLaunch(eventId: string, options: WaitOptions = {}): Promise<LaunchStatus> {
    return waitForLaunch((signal) => this.launchStatus(eventId, { signal }), eventId, options);
  }

  /** The agent's tokens, newest first: all of them, or the page that the options ask for. */
  async tokens(options: PageOptions = {}): Promise<TokenList> {
    return this.#get(`/api/v1/tokens/${pageQuery(options)}`, answers.tokens, options);
  }

  /**
   * One of the agent's tokens.
   *
   * @throws {NotFoundError} where this wallet launched no token with that mint
   */
  async token(mint: string, options: CallOptions = {}): Promise<Token> {
    return this.#get(`/api/v1/tokens/${addressSegment(mint)}`, answers.token, options);
  }

  /** Fees of the agent's tokens in SOL, newest token first: of all, or of the page asked for. */
  async claims(options: PageOptions = {}): Promise<ClaimList> {
    return this.#get(`/api/v1/tokens/claims${pageQuery(options)}`, answers.claims, options);
  }

  /**
   * Claim, step 1: asks for the transaction that pays a token's fees to the agent. `signClaim`
   * checks and signs it; `claim` does all steps.
   *
   * @throws {ConflictError} `no_fees_to_claim`
   * @throws {InsufficientSolError} where the wallet has too little SOL to claim
   * @throws {ChainRefusedError} where the transaction cannot be built
   */
  async prepareClaim(mint: string, options: CallOptions = {}): Promise<PreparedClaim> {
    return this.#callSignedIn({
      method: "POST",
      path: `/api/v1/tokens/claims/${addressSegment(mint)}`,
      answer: answers.preparedClaim,
      repeat: "repeatable",
      ...this.#limits(options),
    });
  }

  /**
   * Checks a prepared claim and has the signer sign it. Hands nothing in. It asks the server for the
   * token's pool if the claim is a sandbox's, and the node of `rpcUrl`, if there is one, for the
   * token.
   *
   * @returns the signed transaction, base64, for `submitClaim`
   * @throws {ClaimCheckError} where the transaction does anything but pay fees to the agent
   * @throws {SignerError} where the signer fails or signs something else
   * @throws {RpcError} if the node does not say what it is asked
   */
  async signClaim(
    mint: string,
    { transaction }: Pick<PreparedClaim, "transaction">,
    { approve, signal }: ClaimOptions = {},
  ): Promise<string> {
    const signer = this.#requireSigner();
    const isSandbox = this.#mayBeSandbox && (await needsSandboxPool(decodeClaim(transaction)));
    const terms = {
      tokenMint: mint,
      maxNetworkFeeLamports: this.#maxNetworkFeeLamports,
      sandboxPool: isSandbox ? (await this.token(mint, { signal })).poolAddress : undefined,
    };
    return signClaim(signer, transaction, terms, async (cost) => {
      const price = this.#rpc ? await priceOnCluster(this.#rpc, mint, cost, signal) : cost;
      await approve?.(price);
    });
  }

  /**
   * Claim, step 2: hands in the signed transaction; answers once it is confirmed. Safe to call
   * again with the same transaction: it lands once, and the first answer comes again.
   *
   * @param signedTransaction base64, from `signClaim`
   * @throws {ConflictError} `claim_expired`: prepare it again
   * @throws {ChainRefusedError} where the chain refused it
   * @throws {ClaimReceiptError} if the receipt is another transaction's, or with `rpcUrl` not what
   * the cluster says; {@link ClaimUnverifiedError} if that cannot be known
   */
  async submitClaim(
    mint: string,
    signedTransaction: string,
    options: CallOptions = {},
  ): Promise<ClaimResult> {
    const hash = transactionHash(signedTransaction);
    const answer = await this.#callSignedIn({
      method: "POST",
      path: `/api/v1/tokens/claims/${addressSegment(mint)}`,
      body: { signedTransaction },
      answer: answers.claimReceipt,
      repeat: "repeatable",
      ...this.#limits(options),
      timeoutMs: this.#submitTimeoutMs,
    });
    // Field by field: what the client says of a receipt itself must not come from the server.
    const { success, transactionHash: named, claimedSOL } = answer;
    const receipt: ClaimReceipt = { success, transactionHash: named, claimedSOL };
    if (named !== hash) {
      throw new ClaimReceiptError(receipt, hash, `it names ${named}`);
    }
    return this.#rpc ? verifyClaim(this.#rpc, receipt, this.address, options.signal) : receipt;
  }

  /**
   * Claims all fees of a token: prepares, checks, signs, submits. Where the transaction expired
   * before it landed, or the server no longer knows it, it begins once more.
   *
   * @throws {ConflictError} `no_fees_to_claim`
   * @throws {InsufficientSolError} where the wallet has too little SOL to claim
   * @throws {ClaimUnsettledError} where no answer tells whether it was paid; claim again
   * @throws {ClaimCheckError} where the server's transaction does anything but pay the agent
   * @throws {ClaimReceiptError} if the receipt is not of what was signed
   */
  async claim(mint: string, options: ClaimOptions = {}): Promise<ClaimResult> {
    return claimFees(this, mint, options);
  }

  /** How the server is; answers for a server that is not well too (`ok: false`). Sent once. */
  async health(options: CallOptions = {}): Promise<Health> {
    return this.#call({
      method: "GET",
      path: "/health",
      answer: answers.health,
      alsoAnswers: [503],
      repeat: "never",
      ...this.#limits(options),
    });
  }

  #requireSigner(): Signer {
    if (!this.#signer) throw new SignerRequiredError();
    return this.#signer;
  }

  #signIn(signal: AbortSignal): Promise<Session> {
    const server = { apiUrl: this.apiUrl, allowNonceWithoutHost: this.#allowNonceWithoutHost };
    const limits = { timeoutMs: this.#timeoutMs, signal };
    return signIn(this.#transport, this.#retry, this.#requireSigner(), server, limits);
  }

  #get<T>(path: string, answer: Answer<T>, options: CallOptions): Promise<T> {
    return this.#callSignedIn({
      method: "GET",
      path,
      answer,
      repeat: "read",
      ...this.#limits(options),
    });
  }

  #limits(options: CallOptions): { timeoutMs: number; signal: AbortSignal | undefined } {
    return { timeoutMs: this.#timeoutMs, signal: options.signal };
  }

  #call<T>(request: Call<T>): Promise<T> {
    return call(this.#transport, this.#retry, request);
  }

  async #callSignedIn<T>(request: Call<T>): Promise<T> {
    const wallet = this.#requireSigner().publicKey;
    return callSignedIn(this.#transport, this.#retry, this.#session, { ...request, wallet });
  }
}
