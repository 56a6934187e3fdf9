/** What stands before the nonce in the message that a wallet signs to sign in. */
const SIGN_IN_PREFIX = "Sign this message to authenticate: ";

/**
 * The message that a wallet signs to sign in.
 *
 * @returns the text whose UTF-8 bytes are signed with Ed25519, for example
 * `Sign this message to authenticate: 4pX…`
 */
export function signInMessage(nonce: string): string {
  return SIGN_IN_PREFIX + nonce;
}

/** A nonce that names the host of the server that issued it: `<host>/<base64url>`. */
const NONCE_WITH_HOST = /^([!-.0-~]+)\/[A-Za-z0-9_-]+$/;

/**
 * @returns the public host of the server that issued a nonce, for example `tokens.example` or
 * `127.0.0.1:8787`; null for a nonce that names none
 */
export function nonceHost(nonce: string): string | null {
  return NONCE_WITH_HOST.exec(nonce)?.[1] ?? null;
}
