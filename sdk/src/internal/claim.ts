import type { PreparedClaim } from "@tokenctl/shared/types";
import { ApiError, ChainRefusedError, ServerError } from "../api-errors.ts";
import { ClaimUnsettledError } from "../claim-errors.ts";
import { ConnectionError, InvalidResponseError, TimeoutError } from "../errors.ts";
import type { ClaimOptions, ClaimResult } from "../options.ts";

/** The steps of a claim, as the client has them. */
export interface ClaimSteps {
  prepareClaim(mint: string, options: ClaimOptions): Promise<PreparedClaim>;
  signClaim(mint: string, prepared: PreparedClaim, options: ClaimOptions): Promise<string>;
  submitClaim(mint: string, signed: string, options: ClaimOptions): Promise<ClaimResult>;
}

/** The transaction never will land, or the server does not know it: another one is needed. */
const NEEDS_ANOTHER: readonly string[] = ["claim_expired", "claim_mismatch"];

/** Both steps of a claim, once more where the first transaction is good for nothing any longer. */
export async function claimFees(
  client: ClaimSteps,
  mint: string,
  options: ClaimOptions,
): Promise<ClaimResult> {
  const attempt = async () => {
    const prepared = await client.prepareClaim(mint, options);
    const signed = await client.signClaim(mint, prepared, options);
    try {
      return await client.submitClaim(mint, signed, options);
    } catch (error) {
      throw isUnsettled(error) ? new ClaimUnsettledError(mint, signed, error) : error;
    }
  };
  try {
    return await attempt();
  } catch (error) {
    // Fees are paid once: beginning again cannot claim them twice.
    if (error instanceof ApiError && NEEDS_ANOTHER.includes(error.code)) return attempt();
    throw error;
  }
}

/** Whether a claim that was handed in may be paid all the same. */
function isUnsettled(error: unknown): error is Error {
  if (error instanceof ServerError) return !(error instanceof ChainRefusedError);
  return [ConnectionError, TimeoutError, InvalidResponseError].some(
    (type) => error instanceof type,
  );
}
