import { readFileSync, statSync } from "node:fs";
import { Keypair } from "@solana/web3.js";
import bs58 from "bs58";

/** A keypair file that cannot be used. Its message names the file, never what is in it. */
export class KeypairFileError extends Error {
  readonly code = "keypair_file";

  constructor(path: string, problem: string) {
    super(`Keypair file ${path} ${problem}`);
    this.name = "KeypairFileError";
  }
}

/** Base58 of 64 bytes takes at most 88 characters, a JSON array of them some 260. */
const MAX_BYTES = 4096;

/**
 * Reads a keypair file of the Solana CLI: a JSON array of 64 bytes, or the same in base58.
 *
 * @throws {KeypairFileError}
 */
export function readKeypairFile(path: string): Keypair {
  const bytes = decode(path, read(path));
  if (bytes.length !== 64) {
    throw new KeypairFileError(path, `holds ${bytes.length} bytes, where a keypair has 64`);
  }
  try {
    return Keypair.fromSecretKey(bytes);
  } catch {
    throw new KeypairFileError(path, "holds a public key that is not its secret key's");
  }
}

/** @returns what is wrong with the permissions of a secret file and how to mend it; null when nothing */
export function permissionWarning(path: string): string | null {
  const mode = statSync(path).mode & 0o777;
  if (process.platform === "win32" || (mode & 0o077) === 0) return null;
  return `${path} can be read by others (mode ${mode.toString(8)}): run chmod 600 ${path}`;
}

function read(path: string): string {
  try {
    if (statSync(path).size > MAX_BYTES) throw new KeypairFileError(path, "is too large");
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    if (error instanceof KeypairFileError) throw error;
    const code = error instanceof Error && "code" in error ? error.code : "unknown error";
    throw new KeypairFileError(path, `cannot be read (${code})`);
  }
}

function decode(path: string, text: string): Uint8Array {
  try {
    if (!text.startsWith("[")) return bs58.decode(text);
    const numbers: unknown = JSON.parse(text);
    if (Array.isArray(numbers) && numbers.every(isByte)) return Uint8Array.from(numbers);
  } catch {
    // The cause would quote the content.
  }
  throw new KeypairFileError(path, "is neither a JSON array of bytes nor base58");
}

function isByte(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
}
