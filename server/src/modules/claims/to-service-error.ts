import { lamportsToSol } from "@tokenctl/shared/sol";
import { ServiceError } from "../../base/service-error.ts";
import {
  ChainUnavailableError,
  ClaimBuildError,
  ClaimExpiredError,
  ClaimOutdatedError,
  ClaimRefusedError,
  InsufficientSolError,
  WrongClusterError,
} from "../../launchpad/errors.ts";

/** The `Retry-After` if the chain gives none. */
const RETRY_AFTER_SECONDS = 5;

/** @returns the answer for an error of the launchpad; any other error as it is */
export function toServiceError<Fault>(fault: Fault): ServiceError | Fault {
  if (fault instanceof WrongClusterError) {
    // Without a `Retry-After`: only the operator can repair it, and must restart the server.
    return new ServiceError("wrong_cluster", { text: fault.message, cause: fault });
  }
  if (fault instanceof ChainUnavailableError) {
    const retryAfterSeconds = fault.retryAfterSeconds ?? RETRY_AFTER_SECONDS;
    return new ServiceError("chain_unavailable", {
      text: fault.message,
      retryAfterSeconds,
      cause: fault,
    });
  }
  if (fault instanceof ClaimBuildError) {
    return new ServiceError("claim_build_failed", { text: fault.message, cause: fault });
  }
  if (fault instanceof ClaimRefusedError) {
    return new ServiceError("claim_refused", { text: fault.message, cause: fault });
  }
  if (fault instanceof InsufficientSolError) {
    return new ServiceError("insufficient_sol", {
      advice: fault.message,
      facts: {
        requiredSOL: lamportsToSol(fault.required),
        balanceSOL: lamportsToSol(fault.balance),
      },
      cause: fault,
    });
  }
  if (fault instanceof ClaimOutdatedError) {
    return new ServiceError("claim_expired", { advice: fault.message, cause: fault });
  }
  if (fault instanceof ClaimExpiredError) {
    return new ServiceError("claim_expired", { cause: fault });
  }
  return fault;
}
