import { ApiError, ChainRefusedError, ServerError } from "../api-errors.ts";
import { ClaimUnsettledError } from "../claim-errors.ts";
import type { ApiErrorCode } from "../error-codes.ts";
import { ConnectionError, InvalidResponseError, TimeoutError } from "../errors.ts";
import type { ClaimOptions } from "../options.ts";
import { approveClaim, type CheckedClaim, expiryOf } from "./approve-claim.ts";

/** The steps of a claim. */
export interface ClaimAttempt<Prepared, Result> {
  /** Prepares a claim and checks it. */
  prepare(): Promise<CheckedClaim<Prepared>>;
  sign(prepared: Prepared, expiresAt: Date): Promise<string>;
  submit(prepared: Prepared, signed: string): Promise<Result>;
  /** The claim's tokens, at least one. */
  tokenMints(prepared: Prepared): readonly string[];
}

/** The transaction can no longer land, or the server does not know it: a new one is needed. */
const NEEDS_NEW_TRANSACTION: readonly ApiErrorCode[] = ["claim_expired", "claim_mismatch"];

/** Claims fees. Starts over once if the first transaction can no longer be used. */
export async function claimFees<Prepared, Result>(
  steps: ClaimAttempt<Prepared, Result>,
  options: ClaimOptions,
): Promise<Result> {
  const attempt = async () => {
    const claim = await approveClaim(steps.prepare, options);
    const { prepared } = claim;
    const signed = await steps.sign(prepared, expiryOf(claim));
    try {
      return await steps.submit(prepared, signed);
    } catch (error) {
      if (!hasUnknownOutcome(error)) throw error;
      const mints = steps.tokenMints(prepared);
      throw new ClaimUnsettledError(mints[0] ?? "", signed, error, mints);
    }
  };
  try {
    return await attempt();
  } catch (error) {
    // The chain pays fees once: a second transaction cannot claim them again.
    if (error instanceof ApiError && NEEDS_NEW_TRANSACTION.includes(error.code)) return attempt();
    throw error;
  }
}

/** @returns whether a submitted claim may have been paid in spite of this error */
function hasUnknownOutcome(error: unknown): error is Error {
  if (error instanceof ServerError) return !(error instanceof ChainRefusedError);
  return [ConnectionError, TimeoutError, InvalidResponseError].some(
    (type) => error instanceof type,
  );
}
