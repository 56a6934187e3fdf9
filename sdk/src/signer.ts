import bs58 from "bs58";
import { generateKey, signEd25519 } from "./internal/ed25519.ts";
import { readUnsignedTransaction, withSignature } from "./internal/wire-transaction.ts";
import { parseSecretKey, type SecretKey } from "./secret-key.ts";

/**
 * A wallet, as the client needs it. Implement it over a KMS, an HSM or a browser wallet. If you
 * have the key itself, use {@link keypairSigner}.
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
   * only signer, or the second one: a sponsored claim's first signer is the sponsor, who signs later
   * @param options until when it must be signed
   * @returns the same transaction, signed by this wallet, in the wire format
   */
  signTransaction(
    transaction: Uint8Array,
    options?: SigningOptions,
  ): Promise<Uint8Array> | Uint8Array;
}

/** What a signer may want to know about a transaction. */
export interface SigningOptions {
  /** After this the transaction cannot land any more; undefined if that is not known. */
  readonly expiresAt?: Date | undefined;
}

/**
 * Makes a signer from a key in memory. The key is in a private field: no log, JSON or `inspect` of
 * the signer shows it.
 *
 * @param key what {@link generateSecretKey} returns, a `Keypair` of web3.js, 64 bytes of secret key, the
 * text of a Solana keypair file (a JSON array of 64 numbers; not the file's path), or the secret key in base58
 * @returns a signer whose `publicKey` is the wallet's address
 * @throws {InvalidArgumentError} if it is not a secret key, or its halves do not belong together
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { keypairSigner, TokenctlClient } from "@tokenctl/sdk";
 *
 * const signer = keypairSigner(await readFile("agent.json", "utf8"));
 * const client = new TokenctlClient({ signer });
 * ```
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
 * Makes a new wallet.
 *
 * @returns its address, and its 64-byte secret key: it is the wallet
 * @example
 * ```ts
 * import { writeFile } from "node:fs/promises";
 * import { formatSecretKey, generateSecretKey } from "@tokenctl/sdk";
 *
 * const key = generateSecretKey();
 * await writeFile("agent.json", formatSecretKey(key), { mode: 0o600 });
 * console.log(key.publicKey);
 * ```
 */
export function generateSecretKey(): { publicKey: string; secretKey: Uint8Array } {
  const { publicKey, secretKey } = generateKey();
  return { publicKey: bs58.encode(publicKey), secretKey };
}
