import { ServiceError } from "../../base/service-error.ts";

/**
 * For how long a caller is kept waiting, in milliseconds. A transaction confirms or expires within
 * 90 s; where the RPC fails meanwhile it takes longer, and clients (ours after 120 s) hang up.
 */
export const ANSWER_MS = 100_000;

const RETRY_AFTER_SECONDS = 5;

/**
 * Waits for a claim's outcome, which is found out and recorded whoever waits.
 *
 * @throws {ServiceError} 503 where that takes longer than a caller waits
 */
export async function beforeAnswerDeadline<T>(outcome: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(
      new ServiceError("unavailable", "The claim's outcome is not known yet", {
        code: "claim_unsettled",
        advice:
          "Send the same transaction again to hear of it, or request a new one: fees are paid once.",
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      }),
    );
  }, ANSWER_MS);
  try {
    return await Promise.race([outcome, late]);
  } finally {
    clearTimeout(timer);
  }
}
