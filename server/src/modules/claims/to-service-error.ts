import { lamportsToSol } from "@tokenctl/shared/sol";
import { ServiceError } from "../../base/service-error.ts";
import {
  ClaimBuildError,
  ClaimExpiredError,
  ClaimOutdatedError,
  ClaimRefusedError,
  CreatorChangedError,
  FeesTakenError,
  InsufficientSolError,
  unavailableAnswer,
} from "../../launchpad/errors.ts";

/** @returns the answer for an error of the launchpad; any other error as it is */
export function toServiceError<Fault>(fault: Fault): ServiceError | Fault {
  const unavailable = unavailableAnswer(fault);
  if (unavailable !== null) return unavailable;
  if (fault instanceof ClaimBuildError) {
    return new ServiceError("claim_build_failed", { text: fault.message, cause: fault });
  }
  if (fault instanceof CreatorChangedError) {
    return new ServiceError("creator_changed", { advice: fault.message, cause: fault });
  }
  if (fault instanceof FeesTakenError) {
    return new ServiceError("no_fees_to_claim", { advice: fault.message, cause: fault });
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
