import type { PreparedClaim } from "@tokenctl/shared/types";
import { ApiError, ChainRefusedError, ServerError } from "../api-errors.ts";
import { ClaimUnsettledError } from "../claim-errors.ts";
import type { ApiErrorCode } from "../error-codes.ts";
import { ConnectionError, InvalidResponseError, TimeoutError } from "../errors.ts";
import type { ClaimOptions, ClaimResult } from "../options.ts";

/** What claiming needs of a client. */
interface ClaimingClient {
  prepareClaim(mint: string, options: ClaimOptions): Promise<PreparedClaim>;
  signClaim(mint: string, prepared: PreparedClaim, options: ClaimOptions): Promise<string>;
  submitClaim(mint: string, signed: string, options: ClaimOptions): Promise<ClaimResult>;
}

/** The transaction can no longer land, or the server does not know it: a new one is needed. */
const NEEDS_NEW_TRANSACTION: readonly ApiErrorCode[] = ["claim_expired", "claim_mismatch"];

/** Claims a token's fees. Starts over once if the first transaction can no longer be used. */
export async function claimFees(
  client: ClaimingClient,
  mint: string,
  options: ClaimOptions,
): Promise<ClaimResult> {
  const attempt = async () => {
    const prepared = await client.prepareClaim(mint, options);
    const signed = await client.signClaim(mint, prepared, options);
    try {
      return await client.submitClaim(mint, signed, options);
    } catch (error) {
      throw hasUnknownOutcome(error) ? new ClaimUnsettledError(mint, signed, error) : error;
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
