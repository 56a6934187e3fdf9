import { nonceHost, signInMessage } from "@tokenctl/shared/sign-in";
import { AbortError, TokenctlError } from "../errors.ts";
import type { Signer } from "../signer.ts";
import type { Answer } from "./answer.ts";
import { answers } from "./answers.ts";
import { isLoopback } from "./arguments.ts";
import { call } from "./http.ts";
import { withRetries } from "./retry.ts";
import type { Settings } from "./settings.ts";
import { signText } from "./signed.ts";

/** Keeps a client's bearer token: signs in once for all waiting calls. */
export class SessionKeeper {
  readonly #signIn: () => Promise<string>;
  #token: string | undefined;
  #pending: Promise<string> | null = null;

  constructor(signIn: () => Promise<string>, token?: string) {
    this.#signIn = signIn;
    this.#token = token;
  }

  async bearer(signal?: AbortSignal): Promise<string> {
    return this.#token ?? this.renew(signal);
  }

  async renew(signal?: AbortSignal): Promise<string> {
    if (signal?.aborted) throw new AbortError(signal.reason);
    this.#pending ??= this.#begin();
    return untilAborted(this.#pending, signal);
  }

  /** Forgets a token that the server refused, unless a new one has already replaced it. */
  discard(token: string): void {
    if (this.#token === token) this.#token = undefined;
  }

  #begin(): Promise<string> {
    const pending = this.#signIn()
      .then((token) => {
        this.#token = token;
        return token;
      })
      .finally(() => {
        this.#pending = null;
      });
    // Waiting callers see the failure. If all have left, it must not be an unhandled rejection.
    pending.catch(() => {});
    return pending;
  }
}

/** Waits for a sign-in, which continues for others if this caller's signal fires. */
function untilAborted(pending: Promise<string>, signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new AbortError(signal?.reason));
    signal?.addEventListener("abort", onAbort, { once: true });
    pending.finally(() => signal?.removeEventListener("abort", onAbort)).then(resolve, reject);
  });
}

/** Returns seconds from issue to expiry, for example 900; null if the token lacks either. */
export function tokenLifeSeconds(token: string): number | null {
  const { exp, iat } = readPayload(token);
  return typeof exp === "number" && typeof iat === "number" ? exp - iat : null;
}

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
export function signIn(settings: Settings, signer: Signer): Promise<string> {
  const { apiUrl, retry, timeoutMs } = settings;
  const wallet = signer.publicKey;
  const post = <T>(path: string, body: object, answer: Answer<T>) => {
    const request = { method: "POST", path, body, answer, repeat: "never", timeoutMs } as const;
    return call(settings, retry, request);
  };
  const attempt = async () => {
    const { nonce } = await post("/api/auth/challenge", { wallet }, answers.Challenge);
    checkNonce(nonce, apiUrl);
    const signature = await signText(signer, signInMessage(nonce));
    const proof = { wallet, nonce, signature };
    return (await post("/api/auth/verify", proof, answers.Session)).token;
  };
  return withRetries(attempt, "repeatable", retry);
}

/** Visible ASCII, so that the signed message is one line and hides nothing. */
const NONCE = /^[\x21-\x7e]{22,200}$/;
/** A name or an address, with or without a port, and no characters that a URL reinterprets. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d+)?$/i;

/** Checks a nonce before it is signed: a server could relay another's nonce to sign in there. */
export function checkNonce(nonce: string, apiUrl: string): void {
  const url = new URL(apiUrl);
  const refuse = (saw: string, hint: string): never => {
    throw new TokenctlError("nonce_refused", `${url.host} ${saw}: its nonce was not signed`, {
      hint,
    });
  };
  if (!NONCE.test(nonce)) {
    const hint = "Check that apiUrl is the address of a tokend server";
    refuse("sent other than 22 to 200 visible ASCII characters", hint);
  }
  const host = nonceHost(nonce);
  if (host !== null && isSameHost(host, url)) return;
  const named = host === null ? "names no host" : `names itself ${host}`;
  refuse(
    named,
    "Set apiUrl to the server's own name, or have its operator set PUBLIC_URL to yours",
  );
}

/** Treats all names of this machine as one, because tunnels and containers change name and port. */
function isSameHost(host: string, apiUrl: URL): boolean {
  const address = `${apiUrl.protocol}//${host}/`;
  if (!HOST.test(host) || !URL.canParse(address)) return false;
  const named = new URL(address);
  return isLoopback(apiUrl) ? isLoopback(named) : named.host === apiUrl.host;
}
