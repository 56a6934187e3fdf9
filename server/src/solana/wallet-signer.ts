import type { Keypair, PublicKey } from "@solana/web3.js";
import { splitTransaction } from "@tokenctl/shared/wire-transaction";
import { signMessage } from "../base/native-keys.ts";
import { signWithKeys, withSignatures } from "./message.ts";

/** What a signature is for, so that a signer can have rules of its own. */
export const SIGNING_PURPOSES = ["launch", "claim", "config", "collect", "migrate"] as const;
export type SigningPurpose = (typeof SIGNING_PURPOSES)[number];

/** A wallet that signs messages; its key may be in another process. */
export interface WalletSigner {
  readonly publicKey: PublicKey;
  /** Signs a message of this program. @returns the Ed25519 signature. @throws {SignerError} */
  sign(message: Uint8Array, purpose: SigningPurpose): Promise<Uint8Array>;
  /** @returns why the wallet cannot sign; null if it can */
  check(): Promise<string | null>;
  /** @returns why the wallet signs nothing for a purpose; null if it may */
  refuses(purpose: SigningPurpose): Promise<string | null>;
}

/** The launch wallet's signer did not sign. `message` is for operators. */
export class SignerError extends Error {
  override readonly name = "SignerError";
  readonly code = "launch_signer";
}

/** A rule of the signer forbids this message or purpose; it works. */
export class SignerRefusal extends SignerError {}

export function keypairSigner({ publicKey, secretKey }: Keypair): WalletSigner {
  return {
    publicKey,
    sign: async (message) => signMessage(message, secretKey),
    check: async () => null,
    refuses: async () => null,
  };
}

/** @returns it with the signatures of the wallet and of keys that this process holds. @throws {SignerError} */
export async function signWith(
  wallet: WalletSigner,
  transaction: Uint8Array,
  { purpose, others = [] }: { purpose: SigningPurpose; others?: readonly Keypair[] },
): Promise<Uint8Array> {
  const { message } = splitTransaction(transaction);
  const signature = await wallet.sign(message, purpose);
  const signed = withSignatures(transaction, [{ key: wallet.publicKey, signature }]);
  return signWithKeys(signed, others);
}
