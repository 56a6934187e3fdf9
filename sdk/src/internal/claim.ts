import type { TokenctlClient } from "../client.ts";
import { ConflictError } from "../errors.ts";
import type { ClaimOptions, ClaimResult } from "../options.ts";

/**
 * Both steps of a claim. A transaction that expired before it landed never will land, so that
 * beginning again cannot claim twice; that is done once.
 */
export async function claimFees(
  client: TokenctlClient,
  mint: string,
  options: ClaimOptions,
): Promise<ClaimResult> {
  const attempt = async () => {
    const prepared = await client.prepareClaim(mint, options);
    return client.submitClaim(mint, await client.signClaim(mint, prepared, options), options);
  };
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof ConflictError && error.code === "claim_expired") return attempt();
    throw error;
  }
}
