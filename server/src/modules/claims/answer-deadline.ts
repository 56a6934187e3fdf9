import type { Clock } from "../../base/clock.ts";
import { ServiceError } from "../../base/service-error.ts";

/**
 * Milliseconds that a caller waits at most. At slots of 400 ms a transaction confirms or expires
 * within 90 s, at shorter ones sooner; if the RPC fails during that time it takes longer, and clients close the connection (ours after 120 s).
 */
export const ANSWER_DEADLINE_MS = 100_000;

const RETRY_AFTER_SECONDS = 5;

/**
 * Waits for a claim's outcome. The claim goes on and is recorded after the deadline too.
 *
 * @throws {ServiceError} 503 if the outcome is not known at the deadline
 */
export async function beforeAnswerDeadline<T>(outcome: Promise<T>, clock: Clock): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const cancel = clock.after(ANSWER_DEADLINE_MS, () => {
    reject(
      new ServiceError("claim_unsettled", {
        advice:
          "Send the same transaction again to read its outcome, or request a new one: fees are paid once.",
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      }),
    );
  });
  try {
    return await Promise.race([outcome, late]);
  } finally {
    cancel();
  }
}
