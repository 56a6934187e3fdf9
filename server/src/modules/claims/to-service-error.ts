import { errorTexts } from "@tokenctl/shared/errors";
import { lamportsToSol } from "@tokenctl/shared/sol";
import { ServiceError } from "../../base/service-error.ts";
import {
  ChainUnavailableError,
  ClaimBuildError,
  ClaimExpiredError,
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
    return new ServiceError("unavailable", fault.message, { code: fault.code, cause: fault });
  }
  if (fault instanceof ChainUnavailableError) {
    const retryAfterSeconds = fault.retryAfterSeconds ?? RETRY_AFTER_SECONDS;
    return new ServiceError("unavailable", fault.message, { retryAfterSeconds, cause: fault });
  }
  if (fault instanceof ClaimBuildError || fault instanceof ClaimRefusedError) {
    return new ServiceError("chain_refused", fault.message, { cause: fault });
  }
  if (fault instanceof InsufficientSolError) {
    return new ServiceError("conflict", errorTexts.insufficientSol, {
      code: fault.code,
      advice: fault.message,
      facts: {
        requiredSOL: lamportsToSol(fault.required),
        balanceSOL: lamportsToSol(fault.balance),
      },
      cause: fault,
    });
  }
  if (fault instanceof ClaimExpiredError) {
    return new ServiceError("conflict", errorTexts.claimExpired, { cause: fault });
  }
  return fault;
}
