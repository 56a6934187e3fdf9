import { nonceHost, signInMessage } from "@tokenctl/shared/sign-in";
import { NonceError, type NonceProblem } from "../errors.ts";
import type { Signer } from "../signer.ts";
import type { Answer } from "./answer.ts";
import { answers } from "./answers.ts";
import { call } from "./http.ts";
import { isLoopback } from "./parse-options.ts";
import { withRetries } from "./retry.ts";
import type { Settings } from "./settings.ts";
import { signText } from "./signed.ts";

/** Returns a bearer token. A retry repeats both requests: a lost answer used up its nonce. */
export function signIn(settings: Settings, signer: Signer, signal: AbortSignal): Promise<string> {
  const { apiUrl, allowNonceWithoutHost, retry, timeoutMs } = settings;
  const wallet = signer.publicKey;
  const post = <T>(path: string, body: object, answer: Answer<T>) => {
    const request = { method: "POST", path, body, answer, repeat: "never", timeoutMs } as const;
    return call(settings, retry, { ...request, signal });
  };
  const attempt = async () => {
    const { nonce } = await post("/api/auth/challenge", { wallet }, answers.Challenge);
    checkNonce(nonce, apiUrl, allowNonceWithoutHost);
    const signature = await signText(signer, signInMessage(nonce));
    const proof = { wallet, nonce, signature };
    return (await post("/api/auth/verify", proof, answers.Session)).token;
  };
  return withRetries(attempt, "repeatable", { ...retry, signal });
}

/** Visible ASCII, so that the signed message is one line and hides nothing. */
const NONCE = /^[\x21-\x7e]{22,200}$/;
/** A name or an address, with or without a port, and no characters that a URL reinterprets. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/i;

/**
 * Checks a nonce before it is signed: a server could relay another's nonce to sign in there.
 *
 * @param allowWithoutHost whether a nonce may name no host; it may never name a wrong one
 * @throws {NonceError} if the nonce is malformed, or not this server's
 */
export function checkNonce(nonce: string, apiUrl: string, allowWithoutHost: boolean): void {
  const url = new URL(apiUrl);
  const { host: apiHost } = url;
  const host = nonceHost(nonce);
  const refuse = (problem: NonceProblem, message: string, hint: string) => {
    const named = problem === "malformed" ? null : host;
    throw new NonceError(message, { hint, problem, apiHost, nonceHost: named });
  };
  const unsigned = `The nonce of ${apiHost} was not signed: it`;
  if (!NONCE.test(nonce)) {
    const hint = "Check that apiUrl is the address of a tokend server";
    refuse("malformed", `${unsigned} is not 22 to 200 visible ASCII characters`, hint);
  }
  if (host === null && !allowWithoutHost) {
    const hint = "If you trust the server, allow it with allowNonceWithoutHost";
    refuse("no host", `${unsigned} does not name the server that issued it`, hint);
  }
  if (host !== null && !isSameHost(host, url)) {
    const hint = `Set apiUrl to ${host} if you meant that server; otherwise its operator must set PUBLIC_URL`;
    const message = `The server names itself ${host}, but this client talks to ${apiHost}`;
    refuse("other host", message, hint);
  }
}

/** Treats all names of this machine as one, because tunnels and containers change name and port. */
function isSameHost(host: string, apiUrl: URL): boolean {
  const address = `${apiUrl.protocol}//${host}/`;
  if (!HOST.test(host) || !URL.canParse(address)) return false;
  const named = new URL(address);
  return isLoopback(apiUrl) ? isLoopback(named) : named.host === apiUrl.host;
}
