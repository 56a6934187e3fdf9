import { decodeSecretKey, SecretKeyFormatError, secretKeyBytes } from "@tokenctl/shared/secret-key";
import { InvalidArgumentError } from "./errors.ts";
import { equalBytes } from "./internal/bytes.ts";
import { publicKeyOf } from "./internal/ed25519.ts";

/**
 * Reads a Solana secret key: the text of a keypair file (a JSON array of 64 numbers), base58 text
 * as wallets export it, or the bytes themselves.
 *
 * @returns a copy of the 64 bytes: seed, then public key
 * @throws {InvalidArgumentError} if it is none of these, or the public key is not the seed's; the
 * error never repeats what was read
 * @example
 * ```ts
 * import { readFile } from "node:fs/promises";
 * import { parseSecretKey } from "@tokenctl/sdk";
 *
 * const secretKey = parseSecretKey(await readFile("agent.json", "utf8"));
 * ```
 */
export function parseSecretKey(key: string | Uint8Array | readonly number[]): Uint8Array {
  const bytes = read(key);
  if (!equalBytes(publicKeyOf(bytes), bytes.subarray(32))) {
    throw refusal("its public half does not belong to its secret half");
  }
  return bytes;
}

/**
 * Writes a secret key as the text of a Solana keypair file.
 *
 * @param secretKey 64 bytes
 * @returns a JSON array of 64 numbers, for example `[174,47,…,25]`
 * @example
 * ```ts
 * import { formatSecretKey, generateSecretKey } from "@tokenctl/sdk";
 *
 * const text = formatSecretKey(generateSecretKey().secretKey);
 * ```
 */
export function formatSecretKey(secretKey: Uint8Array): string {
  return JSON.stringify(Array.from(secretKey));
}

function read(key: string | Uint8Array | readonly number[]): Uint8Array {
  try {
    return typeof key === "string" ? decodeSecretKey(key) : secretKeyBytes(key);
  } catch (error) {
    if (!(error instanceof SecretKeyFormatError)) throw error;
    throw refusal(`it ${error.message}`);
  }
}

function refusal(why: string): InvalidArgumentError {
  return new InvalidArgumentError(`Not a Solana secret key: ${why}`, {
    hint: "Give a keypair file made by `tokenctl keygen` or `solana-keygen new`, or a base58 secret key",
  });
}
