import bs58 from "bs58";
import { generateKey, signEd25519 } from "./internal/ed25519.ts";
import { readUnsignedTransaction, withSignature } from "./internal/wire-transaction.ts";
import { parseSecretKey, type SecretKey } from "./secret-key.ts";

/**
 * A wallet that signs for the client. Implement it for a KMS, an HSM or another wallet; for a key
 * in memory, use {@link keypairSigner}.
 */
export interface Signer {
  /** The wallet's address: base58 of the 32-byte Ed25519 public key. */
  readonly publicKey: string;

  /**
   * Signs a message without changing it.
   *
   * @returns the 64-byte Ed25519 signature
   */
  signMessage(message: Uint8Array): Promise<Uint8Array> | Uint8Array;

  /**
   * Signs a transaction that the client has checked.
   *
   * @param transaction an unsigned legacy transaction in Solana's wire format. This wallet is its
   * only signer, or the second one if the claim is sponsored; the sponsor signs later
   * @returns the same transaction in the wire format, signed by this wallet
   */
  signTransaction(
    transaction: Uint8Array,
    options?: SigningOptions,
  ): Promise<Uint8Array> | Uint8Array;
}

/** What the client tells a signer about a transaction. */
export interface SigningOptions {
  /** When the transaction can no longer land; undefined if that is not known. */
  readonly expiresAt?: Date | undefined;
}

/**
 * Makes a signer from a key in memory. No log, JSON or `inspect` of the signer shows the key.
 *
 * @throws {InvalidArgumentError} as {@link parseSecretKey}
 * @example
 * import { readFile } from "node:fs/promises";
 * import { keypairSigner, TokenctlClient } from "@tokenctl/sdk";
 *
 * const signer = keypairSigner(await readFile("agent.json", "utf8"));
 * const client = new TokenctlClient({ signer });
 */
export function keypairSigner(key: SecretKey): Signer {
  return new KeypairSigner(parseSecretKey(key));
}

class KeypairSigner implements Signer {
  readonly publicKey: string;
  readonly #secretKey: Uint8Array;

  constructor(secretKey: Uint8Array) {
    this.#secretKey = secretKey;
    this.publicKey = bs58.encode(secretKey.subarray(32));
  }

  signMessage(message: Uint8Array): Uint8Array {
    return signEd25519(message, this.#secretKey);
  }

  signTransaction(transaction: Uint8Array): Uint8Array {
    const unsigned = readUnsignedTransaction(transaction, this.publicKey);
    return withSignature(unsigned, unsigned.index, this.signMessage(unsigned.message));
  }
}

/**
 * Makes a new wallet: its address, and the 64-byte secret key that controls it.
 *
 * @example
 * import { writeFile } from "node:fs/promises";
 * import { formatSecretKey, generateSecretKey } from "@tokenctl/sdk";
 *
 * const key = generateSecretKey();
 * await writeFile("agent.json", formatSecretKey(key), { mode: 0o600 });
 * console.log(key.publicKey);
 */
export function generateSecretKey(): { publicKey: string; secretKey: Uint8Array } {
  const { publicKey, secretKey } = generateKey();
  return { publicKey: bs58.encode(publicKey), secretKey };
}
