import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { Keypair } from "@solana/web3.js";
import bs58 from "bs58";
import { exposure } from "../base/private-file.ts";

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
 * Reads a keypair file of the Solana CLI: a JSON array of 64 bytes, or the same in base58. What a
 * link leads to is read, since that is how secret managers put files in their place.
 *
 * @throws {KeypairFileError} also where another user owns it or can open it
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

/** Why a keypair file is not its owner's alone, as the rest of a sentence; null where it is. */
export function keypairExposure(
  path: string,
  { mode, uid, gid }: Pick<Stats, "mode" | "uid" | "gid">,
  user?: number,
): string | null {
  // systemd's LoadCredential lets the service's user in by an access list, whose mask stands in the
  // place of the group's permissions; root's group is root alone.
  const isRoots = uid === 0 && gid === 0 && (mode & 0o037) === 0;
  return isRoots ? null : exposure(path, { mode, uid }, user);
}

function read(path: string): string {
  let file: number | null = null;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const status = fstatSync(file);
    const problem = keypairExposure(path, status);
    if (problem !== null) throw new KeypairFileError(path, problem);
    if (status.size > MAX_BYTES) throw new KeypairFileError(path, "is too large");
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if (error instanceof KeypairFileError) throw error;
    const code = error instanceof Error && "code" in error ? error.code : "unknown error";
    throw new KeypairFileError(path, `cannot be read (${code})`);
  } finally {
    if (file !== null) closeSync(file);
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
