const SIGN_IN_PREFIX = "Sign this message to authenticate: ";

/** Returns the text that a wallet signs, for example `Sign this message to authenticate: 4pX…`. */
export function signInMessage(nonce: string): string {
  return SIGN_IN_PREFIX + nonce;
}

/** A nonce with the host of the server that issued it: `<host>/<base64url>`. */
const NONCE_WITH_HOST = /^([!-.0-~]+)\/[A-Za-z0-9_-]+$/;

/** Returns the host that issued a nonce, for example `127.0.0.1:8787`; null if it names none. */
export function nonceHost(nonce: string): string | null {
  return NONCE_WITH_HOST.exec(nonce)?.[1] ?? null;
}
