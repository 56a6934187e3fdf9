const SIGN_IN_PREFIX = "Sign this message to authenticate: ";

/**
 * Makes the message that a wallet signs to sign in, as UTF-8, with Ed25519.
 *
 * @returns for example `Sign this message to authenticate: 4pX…`
 * @example
 * import { keypairSigner, signInMessage } from "@tokenctl/sdk";
 *
 * const { nonce } = await client.challenge();
 * const message = new TextEncoder().encode(signInMessage(nonce));
 * const signature = await keypairSigner(secretKey).signMessage(message);
 */
export function signInMessage(nonce: string): string {
  return SIGN_IN_PREFIX + nonce;
}

/** A nonce with the host of the server that issued it: `<host>/<base64url>`. */
const NONCE_WITH_HOST = /^([!-.0-~]+)\/[A-Za-z0-9_-]+$/;

/** Returns the host that issued a nonce, for example `127.0.0.1:8787`; null if it names none. */
export function nonceHost(nonce: string): string | null {
  return NONCE_WITH_HOST.exec(nonce)?.[1] ?? null;
}
