import type { Clock } from "../base/clock.ts";
import type { LimitsConfig } from "../config/limits.ts";
import { clientAddress, type Peers } from "./client-address.ts";
import { type AnswerHeaders, RateLimit } from "./rate-limit.ts";

/**
 * How often a client may ask for a challenge, answer one, or come with a bearer token that is not
 * good: nobody has signed in yet.
 */
export class SignInLimits {
  readonly #byAddress: RateLimit;
  readonly #byWallet: RateLimit;
  readonly #badTokens: RateLimit;
  readonly #trustProxy: boolean;

  constructor(
    limits: Pick<LimitsConfig, "authPerMinute" | "walletPerMinute" | "trustProxy">,
    clock: Clock,
  ) {
    this.#byAddress = new RateLimit("address", limits.authPerMinute, clock);
    this.#byWallet = new RateLimit("wallet", limits.walletPerMinute, clock);
    // Counted apart: whoever comes with an expired token must be able to sign in again.
    this.#badTokens = new RateLimit("bad-token", limits.authPerMinute, clock);
    this.#trustProxy = limits.trustProxy;
  }

  /** Counted before anything of the request is read. @throws {ServiceError} 429 */
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
