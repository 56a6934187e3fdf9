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
