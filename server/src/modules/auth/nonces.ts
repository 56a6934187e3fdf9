import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { NONCE_LIFETIME_MS } from "@tokenctl/shared/limits";
import type { Clock } from "../../base/clock.ts";
import { SteadyTime } from "../../base/steady-time.ts";
import { type UsedNonces, UsedNoncesInMemory } from "./used-nonces.ts";

/** The bytes of a nonce: what makes it unique, when it expires, and two tags over both. */
const RANDOM_BYTES = 16;
const EXPIRY_BYTES = 6;
const TAG_BYTES = 16;
const BODY_BYTES = RANDOM_BYTES + EXPIRY_BYTES;
const PAYLOAD_BYTES = BODY_BYTES + 2 * TAG_BYTES;
/** Characters of those bytes in base64url: 54 is a multiple of 3. */
const PAYLOAD_CHARACTERS = (PAYLOAD_BYTES / 3) * 4;

/**
 * Issues and takes sign-in nonces: `<host>/<payload>`, where the payload is base64url of 16 random
 * bytes, the expiry and two tags (HMAC-SHA-256, cut to 128 bits). The tags tell that this process
 * issued the nonce and for which wallet, so nothing is stored of one until it is used. The key and
 * the time that expiries are told in are the process's own: a restart ends all nonces.
 */
export class Nonces {
  readonly #time: SteadyTime;
  readonly #host: () => string;
  readonly #used: UsedNonces;
  readonly #key = randomBytes(32);

  /**
   * @param host where clients reach this server, as in a URL: agents sign no nonce of another host
   * @param used what was used before
   */
  constructor(clock: Clock, host: () => string, used: UsedNonces = new UsedNoncesInMemory()) {
    this.#time = new SteadyTime(clock);
    this.#host = host;
    this.#used = used;
  }

  /** @returns a nonce of 128 random bits for this wallet, good for five minutes */
  issue(wallet: string): string {
    const body = randomBytes(BODY_BYTES);
    body.writeUIntBE(this.#time.now() + NONCE_LIFETIME_MS, RANDOM_BYTES, EXPIRY_BYTES);
    const payload = Buffer.concat([body, this.#issuerTag(body), this.#walletTag(body, wallet)]);
    return `${this.#host()}/${payload.toString("base64url")}`;
  }

  /**
   * Uses up a nonce of this server, whoever names it.
   *
   * @returns whether it was issued for this wallet, has time left and was not used before
   */
  take(nonce: string, wallet: string): boolean {
    const payload = this.#payloadOf(nonce);
    if (payload === null) return false;
    const body = payload.subarray(0, BODY_BYTES);
    const issuerTag = payload.subarray(BODY_BYTES, BODY_BYTES + TAG_BYTES);
    if (!timingSafeEqual(issuerTag, this.#issuerTag(body))) return false;
    const now = this.#time.now();
    const expiresAt = body.readUIntBE(RANDOM_BYTES, EXPIRY_BYTES);
    if (now >= expiresAt) return false;
    const id = body.toString("latin1", 0, RANDOM_BYTES);
    if (!this.#used.use(id, expiresAt, now)) return false;
    return timingSafeEqual(payload.subarray(-TAG_BYTES), this.#walletTag(body, wallet));
  }

  /** @returns a nonce's bytes, or null for what is not spelt as a nonce of this host is */
  #payloadOf(nonce: string): Buffer | null {
    const prefix = `${this.#host()}/`;
    if (nonce.length !== prefix.length + PAYLOAD_CHARACTERS || !nonce.startsWith(prefix)) {
      return null;
    }
    const text = nonce.slice(prefix.length);
    const payload = Buffer.from(text, "base64url");
    // The decoder also takes `+`, `/`, `=` and what is no base64 at all.
    return payload.toString("base64url") === text ? payload : null;
  }

  #issuerTag(body: Uint8Array): Buffer {
    return this.#tag("tokend sign-in nonce", this.#host(), body);
  }

  #walletTag(body: Uint8Array, wallet: string): Buffer {
    return this.#tag("tokend sign-in nonce's wallet", `${this.#host()}\0${wallet}`, body);
  }

  /** Neither label, host nor wallet holds a NUL. */
  #tag(label: string, about: string, body: Uint8Array): Buffer {
    const hmac = createHmac("sha256", this.#key).update(`${label}\0${about}\0`).update(body);
    return hmac.digest().subarray(0, TAG_BYTES);
  }
}
