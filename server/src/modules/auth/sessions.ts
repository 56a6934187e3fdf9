import { TOKEN_LIFETIME_SECONDS } from "@tokenctl/shared/limits";
import { BoundedMap } from "../../base/bounded-map.ts";
import type { Clock } from "../../base/clock.ts";
import { openJwt, signJwt } from "./jwt.ts";

const ISSUER = "tokend";
const AUDIENCE = "tokend-api";
/** By how much a clock may be set back without anyone having to sign in again, in milliseconds. */
const SET_BACK_MS = 60_000;

/** Bearer tokens: JWTs (RFC 7519) that name the wallet, for 15 minutes. */
export class Sessions {
  readonly #clock: Clock;
  readonly #secret: Uint8Array;
  readonly #accepted: readonly Uint8Array[];
  /**
   * What a token was verified to say. It stays correct because a token's text fixes its content,
   * the secrets do not change while the process lives, and the expiry is compared on every use.
   */
  readonly #verified: BoundedMap<string, { wallet: string; expiresAt: number }>;

  /**
   * @param secret at least 32 bytes; signs and verifies
   * @param previous secrets that only verify: tokens signed before a rotation stay good
   * @param capacity the most tokens whose verification is remembered
   */
  constructor(
    clock: Clock,
    secret: Uint8Array,
    previous: readonly Uint8Array[] = [],
    capacity = 10_000,
  ) {
    this.#clock = clock;
    this.#secret = secret;
    this.#accepted = [secret, ...previous];
    this.#verified = new BoundedMap(capacity);
  }

  /** @returns a token for this wallet, valid for 15 minutes from now */
  issue(wallet: string): string {
    const now = Math.floor(this.#clock.now() / 1000);
    const claims = {
      sub: wallet,
      iss: ISSUER,
      aud: AUDIENCE,
      jti: crypto.randomUUID(),
      iat: now,
      exp: now + TOKEN_LIFETIME_SECONDS,
    };
    return signJwt(claims, this.#secret);
  }

  /** @returns the token's wallet where that is known without any cryptography, else undefined */
  recall(token: string): string | undefined {
    const known = this.#verified.get(token);
    return known && this.#isInTime(known.expiresAt) ? known.wallet : undefined;
  }

  /** @returns the wallet that the token names, or null when it is not good (any more) */
  verify(token: string): string | null {
    const recalled = this.recall(token);
    if (recalled !== undefined) return recalled;
    for (const secret of this.#accepted) {
      const claims = openJwt(token, secret);
      if (claims) return this.#admit(token, claims);
    }
    return null;
  }

  #admit(token: string, claims: Record<string, unknown>): string | null {
    const { sub: wallet, iss, aud, jti, iat, nbf, exp } = claims;
    if (iss !== ISSUER || aud !== AUDIENCE) return null;
    if (typeof wallet !== "string" || typeof jti !== "string") return null;
    // Tokens of ours have no `nbf`: they are valid at once.
    if (typeof iat !== "number" || nbf !== undefined || typeof exp !== "number") return null;
    if (!this.#isInTime(exp * 1000)) return null;
    this.#verified.set(token, { wallet, expiresAt: exp * 1000 });
    return wallet;
  }

  /**
   * Whether a token has time left, and no more than one that is issued now would have: else the
   * clock was set back since, and would make the token outlive its 15 minutes.
   */
  #isInTime(expiresAt: number): boolean {
    const left = expiresAt - this.#clock.now();
    return left > 0 && left <= TOKEN_LIFETIME_SECONDS * 1000 + SET_BACK_MS;
  }
}
