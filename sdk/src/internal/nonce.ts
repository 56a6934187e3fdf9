import { nonceHost } from "@tokenctl/shared/sign-in";
import { NonceError } from "../errors.ts";
import { isLoopback } from "./loopback.ts";

/** Visible ASCII: the message that is signed is one line, and as short as it looks. */
const NONCE = /^[\x21-\x7e]{22,200}$/;
/** A name or an address, and a port; nothing that a URL would read as something else. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/i;

/**
 * Checks a nonce before it is signed. The signature signs in wherever the nonce came from: a server
 * that hands out another one's nonces would act there in the agent's name.
 *
 * @param apiUrl the server that the client talks to
 * @param allowWithoutHost whether a nonce may name no host; a wrong one it may never name
 * @throws {NonceError}
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

/** All names of this machine are one: a tunnel or a container's port map changes name and port. */
function isSameHost(host: string, apiUrl: URL): boolean {
  const address = `${apiUrl.protocol}//${host}/`;
  if (!HOST.test(host) || !URL.canParse(address)) return false;
  const named = new URL(address);
  return isLoopback(apiUrl) ? isLoopback(named) : named.host === apiUrl.host;
}
