import { TOKEN_LIFETIME_SECONDS } from "@tokenctl/shared/limits";
import { jwtVerify, SignJWT } from "jose";
import type { Clock } from "../../clock.ts";

const ALGORITHM = "HS256";
const ISSUER = "tokend";
const AUDIENCE = "tokend-api";
/** By how much a clock may be set back without anyone having to sign in again, in milliseconds. */
const SET_BACK_MS = 60_000;

/**
 * Bearer tokens: JWTs (RFC 7519) that name the wallet, for 15 minutes. `jose` is used directly
 * because the Elysia plugin around it takes its times from the system clock and knows one secret.
 */
export class Sessions {
  readonly #clock: Clock;
  readonly #secret: Uint8Array;
  readonly #accepted: readonly Uint8Array[];
  readonly #capacity: number;
  /**
   * What a token was verified to say. It stays correct because a token's text fixes its content,
   * the secrets do not change while the process lives, and the expiry is compared on every use.
   */
  readonly #verified = new Map<string, { wallet: string; expiresAt: number }>();

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
    this.#capacity = capacity;
  }

  /** @returns a token for this wallet, valid for 15 minutes from now */
  issue(wallet: string): Promise<string> {
    const now = Math.floor(this.#clock.now() / 1000);
    return new SignJWT()
      .setProtectedHeader({ alg: ALGORITHM, typ: "JWT" })
      .setSubject(wallet)
      .setIssuer(ISSUER)
      .setAudience(AUDIENCE)
      .setJti(crypto.randomUUID())
      .setIssuedAt(now)
      .setExpirationTime(now + TOKEN_LIFETIME_SECONDS)
      .sign(this.#secret);
  }

  /** @returns the token's wallet where that is known without any cryptography, else undefined */
  recall(token: string): string | undefined {
    const known = this.#verified.get(token);
    return known && this.#isInTime(known.expiresAt) ? known.wallet : undefined;
  }

  /** @returns the wallet that the token names, or null when it is not good (any more) */
  async verify(token: string): Promise<string | null> {
    const recalled = this.recall(token);
    if (recalled !== undefined) return recalled;
    for (const secret of this.#accepted) {
      try {
        const { payload } = await jwtVerify(token, secret, {
          algorithms: [ALGORITHM],
          issuer: ISSUER,
          audience: AUDIENCE,
          requiredClaims: ["sub", "iat", "exp", "jti"],
          currentDate: new Date(this.#clock.now()),
        });
        const { sub: wallet, exp: expires } = payload;
        if (typeof wallet !== "string" || typeof expires !== "number") return null;
        if (!this.#isInTime(expires * 1000)) return null;
        this.#remember(token, wallet, expires * 1000);
        return wallet;
      } catch {
        // Not signed with this secret, or not good: try the next.
      }
    }
    return null;
  }

  /**
   * Whether a token has time left, and no more than one that is issued now would have: else the
   * clock was set back since, and would make the token outlive its 15 minutes.
   */
  #isInTime(expiresAt: number): boolean {
    const left = expiresAt - this.#clock.now();
    return left > 0 && left <= TOKEN_LIFETIME_SECONDS * 1000 + SET_BACK_MS;
  }

  #remember(token: string, wallet: string, expiresAt: number): void {
    if (this.#verified.size >= this.#capacity) {
      const oldest = this.#verified.keys().next().value;
      if (oldest !== undefined) this.#verified.delete(oldest);
    }
    this.#verified.set(token, { wallet, expiresAt });
  }
}
