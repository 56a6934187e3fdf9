import type { LimitsConfig } from "../config/config.ts";
import { clientAddress, type Peers } from "./client-address.ts";
import type { AnswerHeaders } from "./list-header.ts";
import { RateLimit, type RateLimitDeps } from "./rate-limit.ts";

/**
 * Limits requests of clients that have not signed in: challenges, verifies, and requests with an
 * invalid bearer token.
 */
export class SignInLimits {
  readonly #byAddress: RateLimit;
  readonly #byWallet: RateLimit;
  readonly #badTokens: RateLimit;
  readonly #trustProxy: boolean;

  constructor(
    limits: Pick<LimitsConfig, "authPerMinute" | "walletPerMinute" | "trustProxy">,
    deps: RateLimitDeps,
  ) {
    this.#byAddress = new RateLimit("address", limits.authPerMinute, deps);
    this.#byWallet = new RateLimit("wallet", limits.walletPerMinute, deps);
    // Counted apart from sign-ins: a client with an expired token must be able to sign in again.
    this.#badTokens = new RateLimit("bad-token", limits.authPerMinute, deps);
    this.#trustProxy = limits.trustProxy;
  }

  /** Called before the request's body is read. @throws {ServiceError} 429 */
  spendOfAddress(request: Request, peers: Peers | null, headers: AnswerHeaders): void {
    this.#spend(this.#byAddress, request, peers, headers);
  }

  /** @throws {ServiceError} 429 */
  spendOfBadToken(request: Request, peers: Peers | null, headers: AnswerHeaders): void {
    this.#spend(this.#badTokens, request, peers, headers);
  }

  /** @throws {ServiceError} 429 */
  spendOfWallet(wallet: string, headers: AnswerHeaders): void {
    this.#byWallet.spend(wallet, headers);
  }

  #spend(limit: RateLimit, request: Request, peers: Peers | null, headers: AnswerHeaders): void {
    if (limit.isOff) return;
    limit.spend(clientAddress(request, peers, this.#trustProxy), headers);
  }
}
