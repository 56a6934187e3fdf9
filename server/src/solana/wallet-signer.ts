import type { Keypair, PublicKey } from "@solana/web3.js";
import { splitTransaction } from "@tokenctl/shared/wire-transaction";
import { signMessage } from "../base/native-keys.ts";
import { signWithKeys, withSignatures } from "./message.ts";

/** What a signature is for, so that a signer can apply its own rules. */
export const SIGNING_PURPOSES = ["launch", "claim", "config", "collect", "migrate"] as const;
export type SigningPurpose = (typeof SIGNING_PURPOSES)[number];

/** A wallet that signs messages. Its key may be in another process. */
export interface WalletSigner {
  readonly publicKey: PublicKey;
  /** Returns the Ed25519 signature of a message. @throws {SignerError} */
  sign(message: Uint8Array, purpose: SigningPurpose): Promise<Uint8Array>;
  /** Returns why the wallet cannot sign; null if it can. */
  check(): Promise<string | null>;
  /** Returns why the wallet signs nothing for this purpose; null if it does. */
  refuses(purpose: SigningPurpose): Promise<string | null>;
}

/** The launch wallet's signer did not sign. `message` is for operators. */
export class SignerError extends Error {
  override readonly name = "SignerError";
  readonly code = "launch_signer";
}

/** The signer works, but one of its rules forbids this message or purpose. */
export class SignerRefusal extends SignerError {}

export function keypairSigner({ publicKey, secretKey }: Keypair): WalletSigner {
  return {
    publicKey,
    sign: async (message) => signMessage(message, secretKey),
    check: async () => null,
    refuses: async () => null,
  };
}

/** Adds the signatures of the wallet and of keys in this process. @throws {SignerError} */
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
