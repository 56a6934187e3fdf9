import type { LimitsConfig } from "../config/config.ts";
import { clientAddress, type Peers } from "./client-address.ts";
import type { AnswerHeaders } from "./list-header.ts";
import { RateLimit, type RateLimitDeps } from "./rate-limit.ts";

/** The limit on requests for which nobody signs in, by network address. */
export class PublicLimit {
  readonly #limit: RateLimit;
  readonly #trustProxy: boolean;

  constructor(limits: Pick<LimitsConfig, "publicPerMinute" | "trustProxy">, deps: RateLimitDeps) {
    this.#limit = new RateLimit("public", limits.publicPerMinute, deps);
    this.#trustProxy = limits.trustProxy;
  }

  /** @throws {ServiceError} 429 */
  spend(request: Request, peers: Peers | null, headers: AnswerHeaders): void {
    if (this.#limit.isOff) return;
    this.#limit.spend(clientAddress(request, peers, this.#trustProxy), headers);
  }
}
