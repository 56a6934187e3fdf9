import type { SplitTransaction } from "@tokenctl/shared/wire-transaction";
import bs58 from "bs58";
import type { ClaimCost, ClaimTerms } from "./claim-check/terms.ts";
import { checkClaimTransaction } from "./claim-check.ts";
import { ClaimCheckError } from "./claim-errors.ts";
import { SignerError } from "./errors.ts";
import { decodeBase64, encodeBase64, equalBytes } from "./internal/bytes.ts";
import { verifyEd25519 } from "./internal/ed25519.ts";
import { forbiddenChange } from "./internal/wallet-change.ts";
import { signatureIndex, splitTransaction } from "./internal/wire-transaction.ts";
import type { Signer } from "./signer.ts";

/**
 * Checks a claim transaction, has it signed, and checks what the signer returned: the same
 * transaction. A wallet may add up to eight assertions of Lighthouse (`L2TExMF…`), which can only make
 * it fail, unless the claim is sponsored.
 *
 * @param transaction unsigned, base64, as `prepareClaim` returns it
 * @param approve gets what the claim costs at most before it is signed; if it throws, nothing is
 * signed, and the call throws the same error
 * @returns the signed transaction, base64, at most 1232 bytes
 * @throws {ClaimCheckError} if it does anything but pay fees to the signer; it was not signed
 * @throws {SignerError} if the signer failed, signed anything else, or its signature is not valid
 * @example
 * ```ts
 * import { keypairSigner, signClaim } from "@tokenctl/sdk";
 *
 * const { transaction } = await client.prepareClaim(mint);
 * const terms = { tokenMint: mint, maxNetworkFeeLamports: 100_000n };
 * const signed = await signClaim(keypairSigner(secretKey), transaction, terms);
 * ```
 */
export async function signClaim(
  signer: Signer,
  transaction: string,
  terms: Omit<ClaimTerms, "agent">,
  approve?: (cost: ClaimCost) => void | Promise<void>,
): Promise<string> {
  const unsigned = decodeClaim(transaction);
  const cost = await checkClaimTransaction(unsigned, { ...terms, agent: signer.publicKey });
  await approve?.(cost);
  return signChecked(signer, unsigned);
}

/** Has a claim signed that was checked, and checks what the signer returned. See {@link signClaim}. */
export async function signChecked(
  signer: Signer,
  unsigned: Uint8Array,
  expiresAt?: Date,
): Promise<string> {
  // The signer gets a copy, so that it cannot change the bytes that its result is compared with.
  const signed = await askSigner(signer, Uint8Array.from(unsigned), expiresAt);
  assertSignedClaim(signed, unsigned, signer.publicKey);
  return encodeBase64(signed);
}

/**
 * @param transaction base64
 * @throws {ClaimCheckError} if it is not base64
 */
export function decodeClaim(transaction: string): Uint8Array {
  const bytes = decodeBase64(transaction);
  if (bytes !== null) return bytes;
  const saw = "the transaction is not base64";
  throw new ClaimCheckError({ instruction: null, program: null, saw });
}

async function askSigner(
  signer: Signer,
  transaction: Uint8Array,
  expiresAt?: Date,
): Promise<Uint8Array> {
  try {
    return Uint8Array.from(await signer.signTransaction(transaction, { expiresAt }));
  } catch (cause) {
    throw new SignerError("The signer did not sign the claim transaction", { cause });
  }
}

function assertSignedClaim(signed: Uint8Array, unsigned: Uint8Array, agent: string): void {
  const { message, signatures } = splitTransaction(unsigned);
  let parts: SplitTransaction;
  try {
    parts = splitTransaction(signed);
  } catch (cause) {
    throw new SignerError(`The signer returned no signed claim: ${(cause as Error).message}`);
  }
  const change = changeOf({ message, signatures }, parts);
  if (change !== null) {
    const text = "The signer returned another transaction than the one it was given";
    throw new SignerError(`${text}: ${change}`, {
      hint: "Use a signer that adds nothing but assertions of Lighthouse, and to a sponsored claim nothing",
    });
  }
  const signature = parts.signatures[signatureIndex(parts, agent)];
  if (!signature || !verifyEd25519(parts.message, signature, bs58.decode(agent))) {
    throw new SignerError(`The signer's signature is not one of ${agent}`, {
      hint: "Check that signTransaction signs with the key of the signer's publicKey",
    });
  }
}

/** @returns what the signer changed although it may not; null if nothing */
function changeOf(given: SplitTransaction, signed: SplitTransaction): string | null {
  const [count, expected] = [signed.signatures.length, given.signatures.length];
  if (count !== expected) return `it has ${count} signatures instead of ${expected}`;
  const change = forbiddenChange(given.message, signed.message);
  if (change !== null || expected === 1 || equalBytes(given.message, signed.message)) return change;
  // The sponsor signs nothing but the message that it built.
  return "it adds assertions, and the claim is sponsored";
}
