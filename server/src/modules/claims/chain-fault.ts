import { errorTexts } from "@tokenctl/shared/errors";
import { ServiceError } from "../../errors.ts";
import {
  ChainUnavailableError,
  ClaimBuildError,
  ClaimExpiredError,
  ClaimRefusedError,
} from "../../launchpad/errors.ts";

/** Rethrows what the chain did not do as the answer that the caller gets. */
export function chainFault(fault: unknown): never {
  if (fault instanceof ChainUnavailableError) {
    throw new ServiceError("unavailable", fault.message, { retryAfterSeconds: 5, cause: fault });
  }
  if (fault instanceof ClaimBuildError || fault instanceof ClaimRefusedError) {
    throw new ServiceError("chain_refused", fault.message, { cause: fault });
  }
  if (fault instanceof ClaimExpiredError) {
    throw new ServiceError("conflict", errorTexts.claimExpired, { cause: fault });
  }
  throw fault;
}
