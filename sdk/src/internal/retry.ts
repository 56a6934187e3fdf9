import { errorCodes, isErrorCode } from "@tokenctl/shared/error-codes";
import { ApiError } from "../api-error.ts";
import { ConnectionError, RpcError, TimeoutError, TokenctlError } from "../errors.ts";
import { sleep } from "./deadline.ts";

/**
 * When a failed request may be sent again.
 *
 * - `read`: after any temporary failure, 500 included.
 * - `repeatable`: if the answer was lost or the server was away, but not after a 500.
 * - `refused`: only if the server said that it did nothing (429, 503).
 * - `never`: it is sent once.
 *
 * A 502 of the service itself is final: the chain refused it. A gateway's 502 is temporary.
 */
export type Repeat = "read" | "repeatable" | "refused" | "never";

/** The argument of `onRetry`. */
export interface RetryNotice {
  /** Why the request is repeated. */
  error: TokenctlError;
  /** 1 for the first retry. */
  retry: number;
  /** Milliseconds until the retry. */
  delayMs: number;
}

export interface RetryPolicy {
  maxRetries: number;
  onRetry?: ((notice: RetryNotice) => void) | undefined;
}

const BASE_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;
/** If a server asks for a longer wait than this, the caller decides. */
const MAX_RETRY_AFTER_MS = 60_000;

export async function withRetries<T>(
  attempt: () => Promise<T>,
  repeat: Repeat,
  { maxRetries, onRetry, signal }: RetryPolicy & { readonly signal?: AbortSignal | undefined },
): Promise<T> {
  for (let retry = 1; ; retry++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof TokenctlError) || retry > maxRetries) throw error;
      const delayMs = isTemporary(error, repeat) ? retryDelay(error, retry) : null;
      if (delayMs === null) throw error;
      onRetry?.({ error, retry, delayMs });
      await sleep(delayMs, signal);
    }
  }
}

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
  if (error instanceof RpcError) return repeat === "read" && !error.isPermanent;
  const unanswered = error instanceof ConnectionError || error instanceof TimeoutError;
  return unanswered && repeat !== "refused";
}

/** Returns the backoff with jitter, at least `Retry-After`; null if that is more than a minute. */
export function retryDelay(error: Error, retry: number, random = Math.random): number | null {
  const ceiling = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (retry - 1));
  const jittered = random() * ceiling;
  const asked = error instanceof ApiError ? error.retryAfterSeconds : null;
  if (asked === null) return jittered;
  const askedMs = asked * 1000;
  // Jitter, because the server may have refused many clients together.
  return askedMs > MAX_RETRY_AFTER_MS ? null : askedMs + random() * BASE_DELAY_MS;
}
