import { nonceHost, signInMessage } from "@tokenctl/shared/sign-in";
import { AbortError, NonceError, type NonceProblem } from "../errors.ts";
import type { Signer } from "../signer.ts";
import type { Answer } from "./answer.ts";
import { answers } from "./answers.ts";
import { isLoopback } from "./arguments.ts";
import { call } from "./http.ts";
import { withRetries } from "./retry.ts";
import type { Settings } from "./settings.ts";
import { signText } from "./signed.ts";

export type SignIn = (signal: AbortSignal) => Promise<string>;

/** Renews a token this long before it expires, or after 90 % of its life if that is later. */
const RENEWAL_MARGIN_MS = 60_000;

interface PendingSignIn {
  promise: Promise<string>;
  abort: AbortController;
  waiting: number;
}

/** Keeps a client's bearer token: signs in once for all waiting calls, and before it expires. */
export class SessionKeeper {
  readonly #signIn: SignIn;
  /** `renewAt` is in monotonic milliseconds; infinite if the token does not say when it expires. */
  #bearer: { readonly token: string; readonly renewAt: number } | null = null;
  #pending: PendingSignIn | null = null;

  /** @param token used until it is discarded */
  constructor(signIn: SignIn, token?: string) {
    this.#signIn = signIn;
    if (token !== undefined) this.#bearer = { token, renewAt: Number.POSITIVE_INFINITY };
  }

  async bearer(signal?: AbortSignal): Promise<string> {
    if (this.#bearer && performance.now() < this.#bearer.renewAt) return this.#bearer.token;
    return this.renew(signal);
  }

  async renew(signal?: AbortSignal): Promise<string> {
    if (signal?.aborted) throw new AbortError(signal.reason);
    this.#pending ??= this.#begin();
    return this.#join(this.#pending, signal);
  }

  /** Forgets a token that the server refused, unless a new one has already replaced it. */
  discard(token: string): void {
    if (this.#bearer?.token === token) this.#bearer = null;
  }

  #begin(): PendingSignIn {
    const startedAt = performance.now();
    const abort = new AbortController();
    const promise = this.#signIn(abort.signal)
      .then((token) => {
        this.#bearer = { token, renewAt: startedAt + usefulLifeMs(token) };
        return token;
      })
      .finally(() => {
        if (this.#pending === pending) this.#pending = null;
      });
    // Waiting callers see the failure. If all have left, it must not be an unhandled rejection.
    promise.catch(() => {});
    const pending: PendingSignIn = { promise, abort, waiting: 0 };
    return pending;
  }

  /** Waits for a sign-in. A caller's abort ends its wait; the last one's also ends the sign-in. */
  #join(pending: PendingSignIn, signal?: AbortSignal): Promise<string> {
    pending.waiting++;
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        pending.waiting--;
        if (pending.waiting === 0) {
          if (this.#pending === pending) this.#pending = null;
          pending.abort.abort();
        }
        reject(new AbortError(signal?.reason));
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      pending.promise
        .finally(() => signal?.removeEventListener("abort", onAbort))
        .then(resolve, reject);
    });
  }
}

/** Returns milliseconds to use a token, by its own `exp - iat`, because clocks may differ. */
function usefulLifeMs(token: string): number {
  const lifeMs = tokenLifeSeconds(token) * 1000;
  return Math.max(lifeMs - RENEWAL_MARGIN_MS, lifeMs * 0.9, 0);
}

/** Returns seconds from issue to expiry, for example 900; infinite if the token lacks either. */
export function tokenLifeSeconds(token: string): number {
  const { exp, iat } = readPayload(token);
  return typeof exp === "number" && typeof iat === "number" ? exp - iat : Number.POSITIVE_INFINITY;
}

/** Returns the wallet that a token names; null if it names none. */
export function walletOfToken(token: string): string | null {
  const { sub } = readPayload(token);
  return typeof sub === "string" ? sub : null;
}

function readPayload(token: string): { exp?: unknown; iat?: unknown; sub?: unknown } {
  try {
    const [, payload = ""] = token.split(".");
    const text = atob(payload.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes)) ?? {};
  } catch {
    return {};
  }
}

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
