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

/** When to come again where the chain does not say. */
const RETRY_AFTER_SECONDS = 5;

/** Rethrows what the chain did not do as the answer that the caller gets. */
export function throwServiceError(fault: unknown): never {
  if (fault instanceof WrongClusterError) {
    // Only the operator can mend that, and a start comes with it.
    throw new ServiceError("unavailable", fault.message, { code: fault.code, cause: fault });
  }
  if (fault instanceof ChainUnavailableError) {
    const retryAfterSeconds = fault.retryAfterSeconds ?? RETRY_AFTER_SECONDS;
    throw new ServiceError("unavailable", fault.message, { retryAfterSeconds, cause: fault });
  }
  if (fault instanceof ClaimBuildError || fault instanceof ClaimRefusedError) {
    throw new ServiceError("chain_refused", fault.message, { cause: fault });
  }
  if (fault instanceof InsufficientSolError) {
    throw new ServiceError("conflict", errorTexts.insufficientSol, {
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
    throw new ServiceError("conflict", errorTexts.claimExpired, { cause: fault });
  }
  throw fault;
}
