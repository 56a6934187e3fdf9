import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import {
  ChallengeRequestSchema,
  ChallengeSchema,
  SessionSchema,
  VerifyRequestSchema,
} from "@tokenctl/shared/contract/auth";
import { NONCE_LIFETIME_MS } from "@tokenctl/shared/limits";
import { signInMessage } from "@tokenctl/shared/sign-in";
import { decodeAddress, decodeSignature } from "../base/base58.ts";
import type { Clock } from "../base/clock.ts";
import { verifyInPool } from "../base/ed25519.ts";
import { ServiceError } from "../base/service-error.ts";
import type { AddressLimit, RateLimit } from "../http/admit.ts";
import type { BearerTokens } from "../http/bearer-tokens.ts";
import { validationError } from "../http/body.ts";
import { endpoint, json } from "../http/endpoint.ts";
import type { UsedNonces } from "../store/used-nonces.ts";

const RANDOM_BYTES = 16;
const EXPIRY_BYTES = 6;
const WALLET_BYTES = 16;
const TAG_BYTES = 16;
const BODY_BYTES = RANDOM_BYTES + EXPIRY_BYTES + WALLET_BYTES;
/** Characters of all bytes in base64url: 54 is a multiple of 3. */
const PAYLOAD_CHARACTERS = ((BODY_BYTES + TAG_BYTES) / 3) * 4;

const KEY_BYTES = 32;

export interface NoncesOptions {
  readonly clock: Clock;
  /** Returns the host of this server's public URL: agents refuse to sign another host's nonce. */
  readonly host: () => string;
  readonly used: UsedNonces;
  /** For servers that verify each other's nonces and share `clock`; null for a lone server. */
  readonly sharedSecret: Uint8Array | null;
}

/**
 * A nonce is `<host>/<payload>`. The payload is 16 random bytes, the expiry, the first 16 bytes of the
 * wallet's key, and a tag that proves the issuer, so that only used nonces are stored: HMAC-SHA-256 of
 * the host and the rest, cut to 128 bits. A lone server makes its key when it starts, and counts time
 * from then. Servers that share a secret derive their key from it, and use Unix milliseconds.
 */
export class Nonces {
  readonly #key: Uint8Array;

  constructor(private readonly options: NoncesOptions) {
    const { sharedSecret: secret } = options;
    // Derived with a label, because the secret also signs bearer tokens.
    this.#key = secret
      ? new Uint8Array(hkdfSync("sha256", secret, "", "tokend sign-in nonce key", KEY_BYTES))
      : randomBytes(KEY_BYTES);
  }

  /** @param wallet its public key, 32 bytes */
  issue(wallet: Uint8Array): string {
    const body = Buffer.alloc(BODY_BYTES);
    crypto.getRandomValues(body.subarray(0, RANDOM_BYTES));
    body.writeUIntBE(this.#now() + NONCE_LIFETIME_MS, RANDOM_BYTES, EXPIRY_BYTES);
    body.set(wallet.subarray(0, WALLET_BYTES), RANDOM_BYTES + EXPIRY_BYTES);
    return `${this.options.host()}/${Buffer.concat([body, this.#tag(body)]).toString("base64url")}`;
  }

  /** Uses up a nonce, even one of another wallet. Returns whether it was valid for this wallet. */
  async take(nonce: string, wallet: Uint8Array): Promise<boolean> {
    const payload = this.#payloadOf(nonce);
    if (payload === null) return false;
    const body = payload.subarray(0, BODY_BYTES);
    if (!timingSafeEqual(payload.subarray(BODY_BYTES), this.#tag(body))) return false;
    const now = this.#now();
    const expiresAt = body.readUIntBE(RANDOM_BYTES, EXPIRY_BYTES);
    if (now >= expiresAt) return false;
    const id = body.toString("base64url", 0, RANDOM_BYTES);
    if (!(await this.options.used.use(id, expiresAt, now))) return false;
    return body.subarray(-WALLET_BYTES).equals(wallet.subarray(0, WALLET_BYTES));
  }

  #now(): number {
    const { clock, sharedSecret } = this.options;
    return sharedSecret === null ? clock.elapsed() : clock.now();
  }

  #payloadOf(nonce: string): Buffer | null {
    const prefix = `${this.options.host()}/`;
    if (nonce.length !== prefix.length + PAYLOAD_CHARACTERS || !nonce.startsWith(prefix)) {
      return null;
    }
    const text = nonce.slice(prefix.length);
    const payload = Buffer.from(text, "base64url");
    // The decoder also accepts `+`, `/` and `=`, and skips characters that are not base64.
    return payload.toString("base64url") === text ? payload : null;
  }

  /** NUL separates the parts: no label or host contains one. */
  #tag(body: Uint8Array): Buffer {
    return createHmac("sha256", this.#key)
      .update(`tokend sign-in nonce\0${this.options.host()}\0`)
      .update(body)
      .digest()
      .subarray(0, TAG_BYTES);
  }
}

export class AuthService {
  constructor(
    private readonly nonces: Nonces,
    private readonly bearerTokens: BearerTokens,
  ) {}

  challenge(wallet: string) {
    return { nonce: this.nonces.issue(requireAddress(wallet)) };
  }

  async verify(wallet: string, nonce: string, signature: string) {
    const publicKey = requireAddress(wallet);
    if (!(await this.nonces.take(nonce, publicKey))) {
      throw new ServiceError("invalid_nonce", { advice: "Request a new challenge and sign it." });
    }
    const message = new TextEncoder().encode(signInMessage(nonce));
    const bytes = decodeSignature(signature);
    if (bytes === null || !(await verifyInPool(message, bytes, publicKey))) {
      throw new ServiceError("invalid_signature");
    }
    return { token: await this.bearerTokens.issue(wallet) };
  }
}

function requireAddress(wallet: string): Uint8Array {
  const publicKey = decodeAddress(wallet);
  if (publicKey) return publicKey;
  throw validationError([{ field: "wallet", message: "must be a base58 wallet address" }]);
}

export function authEndpoints(auth: AuthService, limit: AddressLimit, walletLimit: RateLimit) {
  return [
    endpoint({
      route: "POST /api/auth/challenge",
      auth: "none",
      id: "getChallenge",
      summary: "Get a nonce to sign",
      description:
        "Returns the nonce that the wallet signs. It is valid for five minutes, once, for this wallet alone.",
      tag: "Sign-in",
      pausable: "sign-ins",
      limit,
      body: json(ChallengeRequestSchema),
      answer: ChallengeSchema,
      errors: ["too_many_requests"],
      handle: ({ body: { wallet } }) => auth.challenge(wallet),
    }),
    endpoint({
      route: "POST /api/auth/verify",
      auth: "none",
      id: "signIn",
      summary: "Trade a signed nonce for a bearer token",
      description:
        "Verifies the signature of the sign-in message, and returns a bearer token that is valid for 15 minutes. The nonce is used up, even if the signature is wrong.",
      tag: "Sign-in",
      pausable: "sign-ins",
      limit,
      body: json(VerifyRequestSchema),
      answer: SessionSchema,
      errors: ["invalid_nonce", "invalid_signature", "too_many_requests"],
      async handle({ body: { wallet, nonce, signature } }) {
        const session = await auth.verify(wallet, nonce, signature);
        // Not before: anyone may name a wallet, and could keep its agent from signing in.
        walletLimit.spend(wallet);
        return session;
      },
    }),
  ];
}
