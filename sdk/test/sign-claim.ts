import { checkClaimTransaction } from "../src/check-transaction.ts";
import type { ClaimCost, ClaimTerms } from "../src/claim-check/terms.ts";
import { decodeTransaction, signChecked } from "../src/internal/signed.ts";
import type { Signer } from "../src/signer.ts";

/** Checks a claim and has it signed, as the client does without a server. */
export async function signClaim(
  signer: Signer,
  transaction: string,
  terms: Omit<ClaimTerms, "agent"> & { readonly approve?: (cost: ClaimCost) => void },
): Promise<string> {
  const { approve, ...asked } = terms;
  const unsigned = decodeTransaction(transaction);
  const cost = await checkClaimTransaction(unsigned, { ...asked, agent: signer.publicKey });
  approve?.(cost);
  return signChecked(signer, unsigned, "claim");
}
