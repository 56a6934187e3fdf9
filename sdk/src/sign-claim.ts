import { checkClaimTransaction } from "./check-transaction.ts";
import type { ClaimCost, ClaimTerms } from "./claim-check/terms.ts";
import { fromCaller } from "./internal/call-stack.ts";
import { decodeTransaction, signChecked } from "./internal/signed.ts";
import type { Signer } from "./signer.ts";

/**
 * Checks a claim transaction, has it signed, and checks that the signer returned the same
 * transaction. Unless the claim is sponsored, a wallet may add up to eight Lighthouse assertions
 * (`L2TExMF…`), which can only make it fail.
 *
 * @param transaction unsigned, base64, from `prepareClaim`
 * @param terms `approve` is called before the signature; if it throws, nothing is signed
 * @returns the signed transaction, base64
 * @throws {CheckError} if the transaction does anything but pay fees to the signer
 * @throws {SignerError} if the signer failed or signed anything else
 * @example
 * import { keypairSigner, signClaim } from "@tokenctl/sdk";
 *
 * const { transaction } = await client.prepareClaim(mint);
 * const terms = { tokenMint: mint, maxNetworkFeeLamports: 100_000n };
 * const signed = await signClaim(keypairSigner(secretKey), transaction, terms);
 */
export async function signClaim(
  signer: Signer,
  transaction: string,
  terms: Omit<ClaimTerms, "agent"> & {
    readonly approve?: (cost: ClaimCost) => void | Promise<void>;
  },
): Promise<string> {
  return fromCaller(signClaim, async () => {
    const { approve, ...asked } = terms;
    const unsigned = decodeTransaction(transaction);
    const cost = await checkClaimTransaction(unsigned, { ...asked, agent: signer.publicKey });
    await approve?.(cost);
    return signChecked(signer, unsigned, { what: "claim" });
  });
}
