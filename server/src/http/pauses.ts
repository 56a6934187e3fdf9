import { ServiceError } from "../base/service-error.ts";
import type { Pausable } from "../domain/steering.ts";

/** @returns why something is paused; null if it is not */
export type PauseReason = (what: Pausable) => string | null;

export const NOT_PAUSED: PauseReason = () => null;

/** The `Retry-After` of what is paused, in seconds. How long a pause lasts is not known. */
const RETRY_SECONDS = 60;

const NAMES: Record<Pausable, string> = {
  launches: "Launches",
  claims: "Claims",
  "sign-ins": "Sign-ins",
};

/** @returns the answer to requests of something that is paused; null if it is not */
export function pauseError(what: Pausable, reason: PauseReason): ServiceError | null {
  const why = reason(what);
  if (why === null) return null;
  return new ServiceError("paused", {
    text: `${NAMES[what]} are paused: ${why}`,
    retryAfterSeconds: RETRY_SECONDS,
  });
}
