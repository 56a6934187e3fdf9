import { AbortError } from "../errors.ts";

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
  readonly #now: () => number;
  /** `renewAt` is in monotonic milliseconds; infinite if the token does not say when it expires. */
  #bearer: { readonly token: string; readonly renewAt: number } | null = null;
  #pending: PendingSignIn | null = null;

  /** @param options `token` is used until it is discarded; `now` returns monotonic milliseconds */
  constructor(
    signIn: SignIn,
    { token, now }: { token?: string | undefined; now?: () => number } = {},
  ) {
    this.#signIn = signIn;
    this.#now = now ?? (() => performance.now());
    if (token !== undefined) this.#bearer = { token, renewAt: Number.POSITIVE_INFINITY };
  }

  async bearer(signal?: AbortSignal): Promise<string> {
    if (this.#bearer && this.#now() < this.#bearer.renewAt) return this.#bearer.token;
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
    const startedAt = this.#now();
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
