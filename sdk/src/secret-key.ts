import { decodeSecretKey, SecretKeyFormatError, secretKeyBytes } from "@tokenctl/shared/secret-key";
import { InvalidArgumentError } from "./errors.ts";
import { equalBytes } from "./internal/bytes.ts";
import { publicKeyOf } from "./internal/ed25519.ts";

/** An object with a secret key: the result of {@link generateSecretKey}, or web3.js's `Keypair`. */
export interface KeypairLike {
  /** 64 bytes: seed, then public key. */
  readonly secretKey: Uint8Array;
}

/**
 * A Solana secret key: the text of a keypair file (a JSON array of 64 numbers, not the file's
 * path), base58 text from a wallet's export, the 64 bytes, or an object with them as `secretKey`.
 */
export type SecretKey = KeypairLike | Uint8Array | readonly number[] | string;

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
