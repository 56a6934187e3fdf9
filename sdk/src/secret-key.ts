import bs58 from "bs58";
import nacl from "tweetnacl";
import { InvalidArgumentError } from "./errors.ts";

/** Bytes of a Solana secret key: the 32-byte seed and the 32-byte public key. */
const SECRET_KEY_BYTES = 64;
/** 64 bytes take at most this many base58 characters; longer text is refused without decoding. */
const MAX_BASE58_CHARS = 88;

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
  const bytes = typeof key === "string" ? fromText(key.trim()) : fromNumbers(key);
  if (bytes.length !== SECRET_KEY_BYTES) {
    throw refusal(`it has ${bytes.length} bytes instead of ${SECRET_KEY_BYTES}`);
  }
  const { publicKey } = nacl.sign.keyPair.fromSeed(bytes.subarray(0, 32));
  if (!nacl.verify(publicKey, bytes.subarray(32))) {
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

function fromText(text: string): Uint8Array {
  if (text.startsWith("[")) return fromNumbers(parseJson(text));
  if (text === "" || text.length > MAX_BASE58_CHARS) throw refusal("it is not base58 of 64 bytes");
  const bytes = bs58.decodeUnsafe(text);
  if (!bytes) throw refusal("it is neither a JSON array of numbers nor base58 text");
  return bytes;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which is the key.
    throw refusal("it begins like a JSON array and is not one");
  }
}

function fromNumbers(numbers: unknown): Uint8Array {
  if (numbers instanceof Uint8Array) return Uint8Array.from(numbers);
  if (!Array.isArray(numbers) || !numbers.every(isByte)) {
    throw refusal("it is not an array of numbers from 0 to 255");
  }
  return Uint8Array.from(numbers);
}

function isByte(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255;
}

function refusal(why: string): InvalidArgumentError {
  return new InvalidArgumentError(`Not a Solana secret key: ${why}`, {
    hint: "Give a keypair file made by `tokenctl keygen` or `solana-keygen new`, or a base58 secret key",
  });
}
