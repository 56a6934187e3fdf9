import { errorCodes, isErrorCode } from "@tokenctl/shared/error-codes";
import { ApiError } from "../api-errors.ts";
import { ConnectionError, TimeoutError, TokenctlError } from "../errors.ts";
import { sleep } from "./sleep.ts";

/**
 * When a request that failed may be sent again.
 *
 * - `read`: it changes nothing, so it is sent again after any temporary failure, 500 included.
 * - `repeatable`: sending it twice does no more than sending it once, so it is sent again if the
 *   answer was lost or the server was away. A 500 is final, because it is a fault of the server.
 * - `refused`: it is sent again only if the server said that it did nothing (429, 503).
 * - `never`: it is sent once.
 *
 * A 502 of the service itself is final for all of them: the chain refused the transaction, or it
 * cannot be built, and a repetition does not change that. A 502 of a gateway in front of the
 * service, which lacks the contract's error body, is a temporary failure.
 */
export type Repeat = "read" | "repeatable" | "refused" | "never";

/** What `onRetry` gets before a request is sent again. */
export interface RetryNotice {
  /** Why the request is sent again. */
  error: TokenctlError;
  /** 1 for the first time that it is sent again. */
  retry: number;
  /** Milliseconds until then. */
  delayMs: number;
}

export interface RetryPolicy {
  /** How often a request is sent again at most. */
  maxRetries: number;
  onRetry?: ((notice: RetryNotice) => void) | undefined;
}

const BASE_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;
/** If a server asks for a longer wait than this, the caller decides. */
const MAX_RETRY_AFTER_MS = 60_000;

/**
 * Makes attempts until one succeeds, one fails for good, or the policy allows no more.
 *
 * @throws what the last attempt threw
 * @throws {AbortError} if the signal fires between attempts
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  repeat: Repeat,
  policy: RetryPolicy,
  signal?: AbortSignal,
): Promise<T> {
  for (let retry = 1; ; retry++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof TokenctlError) || retry > policy.maxRetries) throw error;
      const delayMs = isTemporary(error, repeat) ? retryDelay(error, retry) : null;
      if (delayMs === null) throw error;
      policy.onRetry?.({ error, retry, delayMs });
      await sleep(delayMs, signal);
    }
  }
}

/** @returns whether the same request may be sent again after this failure */
export function isTemporary(error: unknown, repeat: Repeat): boolean {
  if (repeat === "never") return false;
  if (error instanceof ApiError) {
    if (isErrorCode(error.code) && ["no", "later"].includes(errorCodes[error.code].repeat))
      return false;
    if (error.status === 429) return true;
    if (repeat === "refused") return error.status === 503 && !error.isFromGateway;
    if (error.status === 500) return repeat === "read";
    return (error.isFromGateway && error.status >= 502) || [408, 503, 504].includes(error.status);
  }
  const unanswered = error instanceof ConnectionError || error instanceof TimeoutError;
  return unanswered && repeat !== "refused";
}

/**
 * Exponential back-off with full jitter, and never sooner than `Retry-After`.
 *
 * @param retry 1 for the first time that the request is sent again
 * @param random returns numbers from 0 up to 1
 * @returns milliseconds; null if the server asks for a longer wait than a minute
 */
export function retryDelay(error: Error, retry: number, random = Math.random): number | null {
  const ceiling = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (retry - 1));
  const jittered = random() * ceiling;
  const asked = error instanceof ApiError ? error.retryAfterSeconds : null;
  if (asked === null) return jittered;
  const askedMs = asked * 1000;
  // With jitter, so that clients that were refused together do not return together.
  return askedMs > MAX_RETRY_AFTER_MS ? null : askedMs + random() * BASE_DELAY_MS;
}
