import { decodeSecretKey, SecretKeyFormatError, secretKeyBytes } from "@tokenctl/shared/secret-key";
import bs58 from "bs58";
import { InvalidArgumentError } from "./errors.ts";
import { equalBytes } from "./internal/bytes.ts";
import { generateKey, publicKeyOf, signEd25519 } from "./internal/ed25519.ts";
import { readUnsignedTransaction, withSignature } from "./internal/wire-transaction.ts";

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
  signTransaction(transaction: Uint8Array): Promise<Uint8Array> | Uint8Array;
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
  const secretKey = parseSecretKey(key);
  const publicKey = bs58.encode(secretKey.subarray(32));
  return {
    publicKey,
    signMessage: (message) => signEd25519(message, secretKey),
    signTransaction(transaction) {
      const unsigned = readUnsignedTransaction(transaction, publicKey);
      return withSignature(unsigned, unsigned.index, signEd25519(unsigned.message, secretKey));
    },
  };
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

/**
 * A Solana secret key: the text of a keypair file (a JSON array of 64 numbers, not the file's
 * path), base58 text from a wallet's export, the 64 bytes, or an object with them as `secretKey`, such
 * as web3.js's `Keypair`.
 */
export type SecretKey =
  | { readonly secretKey: Uint8Array }
  | Uint8Array
  | readonly number[]
  | string;

/**
 * Reads a secret key in any of its forms.
 *
 * @returns a copy of the 64 bytes: seed, then public key
 * @throws {InvalidArgumentError} if it is not a secret key, or the public key does not match the
 * seed; the error never contains the key
 * @example
 * import { readFile } from "node:fs/promises";
 * import { parseSecretKey } from "@tokenctl/sdk";
 *
 * const secretKey = parseSecretKey(await readFile("agent.json", "utf8"));
 */
export function parseSecretKey(key: SecretKey): Uint8Array {
  const bytes = read(key);
  if (!equalBytes(publicKeyOf(bytes), bytes.subarray(32))) {
    throw refusal("its public half does not match its secret half");
  }
  return bytes;
}

/**
 * Writes a secret key as the text of a Solana keypair file.
 *
 * @returns a JSON array of 64 numbers, for example `[174,47,…,25]`
 * @throws {InvalidArgumentError} if it is not a secret key
 * @example
 * import { formatSecretKey, generateSecretKey } from "@tokenctl/sdk";
 *
 * const text = formatSecretKey(generateSecretKey());
 */
export function formatSecretKey(key: SecretKey): string {
  return JSON.stringify(Array.from(parseSecretKey(key)));
}

function read(key: SecretKey): Uint8Array {
  try {
    if (typeof key === "string") return decodeSecretKey(key);
    const isWrapped = typeof key === "object" && key !== null && "secretKey" in key;
    return secretKeyBytes(isWrapped ? key.secretKey : key);
  } catch (error) {
    if (!(error instanceof SecretKeyFormatError)) throw error;
    throw refusal(`it ${error.message}`);
  }
}

function refusal(why: string): InvalidArgumentError {
  return new InvalidArgumentError(`Not a Solana secret key: ${why}`, {
    hint: 'Pass the text of a keypair file, such as `await readFile("agent.json", "utf8")`, not its path; or its 64 bytes, their base58, or a Keypair',
  });
}
