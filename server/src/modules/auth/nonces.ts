import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { NONCE_LIFETIME_MS } from "@tokenctl/shared/limits";
import type { Clock } from "../../base/clock.ts";
import type { UsedNonces } from "../../store/used-nonces.ts";

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
  /** Returns the host of this server's public URL: agents sign no nonce of another host. */
  readonly host: () => string;
  readonly used: UsedNonces;
  /**
   * For servers that verify each other's nonces, whose `clock` is then shared too. Null for a lone
   * server, whose nonces end with a restart.
   */
  readonly sharedSecret: Uint8Array | null;
}

/**
 * A nonce is `<host>/<payload>`. The payload is the base64url of 16 random bytes, the expiry, the first 16
 * bytes of the wallet's key and a tag (HMAC-SHA-256 of the host and these, cut to 128 bits), which proves the
 * issuer, so that only used nonces are stored. Each process of a lone server has its own key, and counts
 * time from its start. Other servers derive their key from the shared secret, and use Unix milliseconds.
 */
export class Nonces {
  readonly #now: () => number;
  readonly #host: () => string;
  readonly #used: UsedNonces;
  readonly #key: Uint8Array;

  constructor({ clock, host, used, sharedSecret }: NoncesOptions) {
    this.#now = () => (sharedSecret === null ? clock.elapsed() : clock.now());
    // Derived with a label, because the secret also signs bearer tokens.
    const derived = (secret: Uint8Array) =>
      new Uint8Array(hkdfSync("sha256", secret, "", "tokend sign-in nonce key", KEY_BYTES));
    this.#key = sharedSecret === null ? randomBytes(KEY_BYTES) : derived(sharedSecret);
    this.#host = host;
    this.#used = used;
  }

  /** @param wallet its public key, 32 bytes */
  issue(wallet: Uint8Array): string {
    const body = Buffer.alloc(BODY_BYTES);
    crypto.getRandomValues(body.subarray(0, RANDOM_BYTES));
    body.writeUIntBE(this.#now() + NONCE_LIFETIME_MS, RANDOM_BYTES, EXPIRY_BYTES);
    body.set(wallet.subarray(0, WALLET_BYTES), RANDOM_BYTES + EXPIRY_BYTES);
    return `${this.#host()}/${Buffer.concat([body, this.#tag(body)]).toString("base64url")}`;
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
    if (!(await this.#used.use(id, expiresAt, now))) return false;
    return body.subarray(-WALLET_BYTES).equals(wallet.subarray(0, WALLET_BYTES));
  }

  #payloadOf(nonce: string): Buffer | null {
    const prefix = `${this.#host()}/`;
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
    const hmac = createHmac("sha256", this.#key);
    return hmac
      .update(`tokend sign-in nonce\0${this.#host()}\0`)
      .update(body)
      .digest()
      .subarray(0, TAG_BYTES);
  }
}
