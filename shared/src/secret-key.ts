import { decodeBase58 } from "./base58.ts";

/** Bytes of a Solana secret key: the 32-byte seed and the 32-byte public key. */
export const SECRET_KEY_BYTES = 64;

/** A text is not a secret key. The message is the rest of a sentence and never repeats the text. */
export class SecretKeyFormatError extends Error {
  override readonly name = "SecretKeyFormatError";
}

/**
 * Reads a Solana keypair file, a JSON array or base58. The caller compares the public half, because
 * server and SDK have different libraries for that. @throws {SecretKeyFormatError}
 */
export function decodeSecretKey(text: string): Uint8Array {
  const trimmed = text.trim();
  if (trimmed.startsWith("[")) return secretKeyBytes(parseJson(trimmed));
  const bytes = decodeBase58(trimmed, SECRET_KEY_BYTES);
  if (bytes === null) {
    throw new SecretKeyFormatError("is neither a JSON array of numbers nor base58 of 64 bytes");
  }
  return bytes;
}

export function secretKeyBytes(numbers: unknown): Uint8Array {
  const isBytes =
    numbers instanceof Uint8Array || (Array.isArray(numbers) && numbers.every(isByte));
  if (!isBytes) throw new SecretKeyFormatError("is not an array of numbers from 0 to 255");
  if (numbers.length !== SECRET_KEY_BYTES) {
    throw new SecretKeyFormatError(`has ${numbers.length} bytes instead of ${SECRET_KEY_BYTES}`);
  }
  return Uint8Array.from(numbers);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which is the key.
    throw new SecretKeyFormatError("starts like a JSON array but is not one");
  }
}

function isByte(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
}
