import { createPrivateKey, sign } from "node:crypto";
import type { SolanaSigner } from "@solana/keychain";
import { decodeSecretKey } from "@tokenctl/shared/secret-key";
import bs58 from "bs58";
import { type KeyConfig, readSecret } from "./config.ts";

/** The launch wallet's key, in a file or in a key service. */
export interface Key {
  /** Base58. */
  readonly address: string;
  /** Returns the Ed25519 signature. @throws {Error} if the key service does not sign */
  sign(message: Uint8Array): Promise<Uint8Array>;
}

export async function openKey(config: KeyConfig): Promise<Key> {
  if (config.keypair !== undefined) return keypairFile(config.keypair);
  // Imported only when needed: it loads every backend, the slowest part of the start.
  const signer = await openBackend(config, await import("@solana/keychain"));
  return {
    address: signer.address,
    async sign(message) {
      // Copied: kit's base64 takes the whole buffer behind a view.
      const content = Uint8Array.from(message);
      const [signatures] = await signer.signMessages([{ content, signatures: {} }]);
      const signature = signatures?.[signer.address];
      if (!signature) throw new Error("the key service returned no signature");
      return signature;
    },
  };
}

async function openBackend(
  { awsKms, fireblocks, privy, turnkey, vault }: KeyConfig,
  keychain: typeof import("@solana/keychain"),
): Promise<SolanaSigner> {
  if (awsKms) return new keychain.AwsKmsSigner(awsKms);
  if (privy) return keychain.PrivySigner.create(privy);
  if (turnkey) return new keychain.TurnkeySigner(turnkey);
  if (vault) return new keychain.VaultSigner(vault);
  if (!fireblocks) throw new Error("no key is named");
  const signer = new keychain.FireblocksSigner(fireblocks);
  await signer.init();
  return signer;
}

function keypairFile(path: string): Key {
  const secret = decodeSecretKey(readSecret(path));
  const part = (from: number, to: number) =>
    Buffer.from(secret.subarray(from, to)).toString("base64url");
  const jwk = { kty: "OKP", crv: "Ed25519", d: part(0, 32), x: part(32, 64) };
  const key = createPrivateKey({ key: jwk, format: "jwk" });
  return {
    address: bs58.encode(secret.subarray(32)),
    sign: async (message) => sign(null, message, key),
  };
}
