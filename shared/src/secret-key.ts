import { decodeBase58 } from "./base58.ts";

/** Bytes of a Solana secret key: the 32-byte seed and the 32-byte public key. */
export const SECRET_KEY_BYTES = 64;

/** A text is not a secret key. The message completes a sentence, and never repeats the text. */
export class SecretKeyFormatError extends Error {
  override readonly name = "SecretKeyFormatError";
}

/**
 * Reads a Solana keypair file, a JSON array or base58. The caller compares the public half, because
 * server and SDK use different libraries for that. @throws {SecretKeyFormatError}
 */
export function decodeSecretKey(text: string): Uint8Array {
  const trimmed = text.trim();
  if (trimmed.startsWith("[")) return secretKeyBytes(parseJson(trimmed));
  const bytes = decodeBase58(trimmed, SECRET_KEY_BYTES);
  if (bytes === null) throw new SecretKeyFormatError(foundIn(trimmed));
  return bytes;
}

const FORMS = "a secret key is a JSON array of 64 numbers or base58 of 64 bytes";
const OTHERS: readonly (readonly [form: RegExp, found: string])[] = [
  [/^$/, `is empty; ${FORMS}`],
  [/^(["'`]).*\1$/s, "is in quotation marks: remove them"],
  [
    /^([a-z]+\s+){11,23}[a-z]+$/i,
    "is a seed phrase: `solana-keygen recover` makes a keypair file of one",
  ],
  [/^(0x)?[0-9a-f]{128}$/i, `is 64 bytes in hex; ${FORMS}`],
  [/^(0x)?[0-9a-f]{64}$/i, `is 32 bytes in hex, as a seed alone has; ${FORMS}`],
  [/^[A-Za-z0-9+/_-]{86}(==)?$/, `is 64 bytes in base64; ${FORMS}`],
  [/^[A-Za-z0-9+/_-]{43}=$/, `is 32 bytes in base64, as a seed alone has; ${FORMS}`],
  [/^\{/, `is a JSON object; ${FORMS}`],
];

/** Returns the rest of a sentence. A key with its spaces has at most 1,000 characters. */
function foundIn(text: string): string {
  if (text.length > 1_000) return `is ${text.length} characters long; ${FORMS}`;
  if (decodeBase58(text, SECRET_KEY_BYTES / 2) !== null) {
    return `is base58 of 32 bytes, as an address or a seed alone has; ${FORMS}`;
  }
  const [, found] = OTHERS.find(([form]) => form.test(text)) ?? [];
  return found ?? `is neither a JSON array of numbers nor base58; ${FORMS}`;
}

export function secretKeyBytes(numbers: unknown): Uint8Array {
  const isBytes =
    numbers instanceof Uint8Array ||
    (Array.isArray(numbers) &&
      numbers.every((value) => Number.isInteger(value) && value >= 0 && value <= 255));
  if (!isBytes) throw new SecretKeyFormatError("is not an array of numbers from 0 to 255");
  if (numbers.length !== SECRET_KEY_BYTES) {
    const seed =
      numbers.length === SECRET_KEY_BYTES / 2 ? ", as a seed without its public key" : "";
    throw new SecretKeyFormatError(
      `has ${numbers.length} bytes instead of ${SECRET_KEY_BYTES}${seed}`,
    );
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
