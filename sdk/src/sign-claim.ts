import type { SplitTransaction } from "@tokenctl/shared/wire-transaction";
import bs58 from "bs58";
import type { ClaimCost, ClaimTerms } from "./claim-check/terms.ts";
import { checkClaimTransaction } from "./claim-check.ts";
import { ClaimCheckError } from "./claim-errors.ts";
import { SignerError } from "./errors.ts";
import { decodeBase64, encodeBase64, equalBytes } from "./internal/bytes.ts";
import { verifyEd25519 } from "./internal/ed25519.ts";
import { forbiddenChange } from "./internal/wallet-change.ts";
import {
  LAUNCH_SIGNATURES,
  signatureIndex,
  splitTransaction,
} from "./internal/wire-transaction.ts";
import type { Signer } from "./signer.ts";

/**
 * Checks a claim transaction, has it signed, and checks that the signer returned the same transaction.
 * Unless the claim is sponsored, a wallet may add up to eight assertions of Lighthouse (`L2TExMF…`),
 * which can only make it fail.
 *
 * @param transaction unsigned, base64, from `prepareClaim`
 * @param terms with `approve`, it is called before the signature with the most that the claim can cost; if it
 * throws, nothing is signed
 * @returns the signed transaction, base64
 * @throws {ClaimCheckError} if the transaction does anything but pay fees to the signer
 * @throws {SignerError} if the signer failed or signed anything else
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
  {
    approve,
    ...terms
  }: Omit<ClaimTerms, "agent"> & {
    readonly approve?: (cost: ClaimCost) => void | Promise<void>;
  },
): Promise<string> {
  const unsigned = decodeClaim(transaction);
  const cost = await checkClaimTransaction(unsigned, { ...terms, agent: signer.publicKey });
  await approve?.(cost);
  return signChecked(signer, unsigned, { what: "claim" });
}

type What = "claim" | "launch" | "hand-over";

interface Signing {
  readonly what: What;
  readonly expiresAt?: Date | undefined;
}

/** Has a checked claim signed, and checks what the signer returned. */
export async function signChecked(
  signer: Signer,
  unsigned: Uint8Array,
  signing: Signing,
): Promise<string> {
  // The signer gets a copy: it must not change the bytes that its result is compared with.
  const signed = await askSigner(signer, Uint8Array.from(unsigned), signing);
  assertSigned(signed, { unsigned, agent: signer.publicKey }, signing.what);
  return encodeBase64(signed);
}

/** @throws {ClaimCheckError} if the transaction is not base64 */
export function decodeClaim(transaction: string): Uint8Array {
  const bytes = decodeBase64(transaction);
  if (bytes !== null) return bytes;
  const saw = "the transaction is not base64";
  throw new ClaimCheckError({ instruction: null, program: null, saw });
}

async function askSigner(
  signer: Signer,
  transaction: Uint8Array,
  { what, expiresAt }: Signing,
): Promise<Uint8Array> {
  try {
    return Uint8Array.from(await signer.signTransaction(transaction, { expiresAt }));
  } catch (cause) {
    throw new SignerError(`The signer did not sign the ${what} transaction`, { cause });
  }
}

function assertSigned(
  signed: Uint8Array,
  { unsigned, agent }: { readonly unsigned: Uint8Array; readonly agent: string },
  what: What,
): void {
  const { message, signatures } = splitTransaction(unsigned, LAUNCH_SIGNATURES);
  let parts: SplitTransaction;
  try {
    parts = splitTransaction(signed, LAUNCH_SIGNATURES);
  } catch (cause) {
    throw new SignerError(
      `The signer did not return a signed ${what}: ${(cause as Error).message}`,
    );
  }
  const change = changeOf({ message, signatures }, parts, what);
  if (change !== null) {
    const text = "The signer returned a different transaction";
    throw new SignerError(`${text}: ${change}`, {
      hint: "Use a signer that adds only assertions of Lighthouse, and nothing to a sponsored claim",
    });
  }
  const signature = parts.signatures[signatureIndex(parts, agent)];
  if (!signature || !verifyEd25519(parts.message, signature, bs58.decode(agent))) {
    throw new SignerError(`The signer's signature is not valid for ${agent}`, {
      hint: "Check that signTransaction uses the key that belongs to the signer's publicKey",
    });
  }
}

/** @returns the forbidden change; null if there is none */
function changeOf(given: SplitTransaction, signed: SplitTransaction, what: What): string | null {
  const [count, expected] = [signed.signatures.length, given.signatures.length];
  if (count !== expected) return `it has ${count} signatures instead of ${expected}`;
  const change = forbiddenChange(given.message, signed.message);
  if (
    change !== null ||
    expected === 1 ||
    what === "launch" ||
    equalBytes(given.message, signed.message)
  )
    return change;
  // The sponsor signs only the message that it built.
  return "it adds assertions to a sponsored claim";
}
