import { nonceHost } from "@tokenctl/shared/sign-in";
import { NonceError } from "../errors.ts";
import { isLoopback } from "./parse-options.ts";

/** Visible ASCII: the signed message is one line and hides nothing. */
const NONCE = /^[\x21-\x7e]{22,200}$/;
/** A name or an address, optionally with a port; no characters that a URL interprets differently. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/i;

/**
 * Checks a nonce before it is signed: a server that relays another's nonce could sign in there.
 *
 * @param allowWithoutHost whether a nonce may name no host; it may never name a wrong one
 * @throws {NonceError} if the nonce is malformed, or not this server's
 */
export function checkNonce(nonce: string, apiUrl: string, allowWithoutHost: boolean): void {
  const url = new URL(apiUrl);
  if (!NONCE.test(nonce)) throw new NonceError("malformed", url.host, null);
  const host = nonceHost(nonce);
  if (host === null) {
    if (!allowWithoutHost) throw new NonceError("no host", url.host, null);
    return;
  }
  if (!isSameHost(host, url)) throw new NonceError("other host", url.host, host);
}

/** All names of this machine count as one, because tunnels and containers change name and port. */
function isSameHost(host: string, apiUrl: URL): boolean {
  const address = `${apiUrl.protocol}//${host}/`;
  if (!HOST.test(host) || !URL.canParse(address)) return false;
  const named = new URL(address);
  return isLoopback(apiUrl) ? isLoopback(named) : named.host === apiUrl.host;
}
