import { ServiceError } from "../base/service-error.ts";
import { ChainUnavailableError, WrongClusterError } from "./errors.ts";

/** The `Retry-After` if the chain gives none. */
const RETRY_AFTER_SECONDS = 5;

/** @returns the answer if the chain cannot be used; null for any other error */
export function unavailableAnswer(fault: unknown): ServiceError | null {
  if (fault instanceof WrongClusterError) {
    // Without a `Retry-After`: only the operator can repair it, and must restart the server.
    return new ServiceError("wrong_cluster", { text: fault.message, cause: fault });
  }
  if (!(fault instanceof ChainUnavailableError)) return null;
  return new ServiceError("chain_unavailable", {
    text: fault.message,
    retryAfterSeconds: fault.retryAfterSeconds ?? RETRY_AFTER_SECONDS,
    cause: fault,
  });
}
