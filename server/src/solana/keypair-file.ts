import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import type { Keypair } from "@solana/web3.js";
import { decodeSecretKey, SecretKeyFormatError } from "@tokenctl/shared/secret-key";
import { keypairFromSeed } from "../base/native-keys.ts";
import { exposure } from "../base/secret-file.ts";

/** A keypair file that cannot be used. The message names the file, never its content. */
export class KeypairFileError extends Error {
  readonly code = "keypair_file";

  constructor(path: string, problem: string) {
    super(`Keypair file ${path} ${problem}`);
    this.name = "KeypairFileError";
  }
}

/** 64 bytes take at most 88 characters in base58 and about 260 as a JSON array. */
const MAX_BYTES = 4096;

/**
 * Reads a JSON array of 64 bytes, or base58. Follows links, which secret managers create.
 * @throws {KeypairFileError} it holds no keypair, or another user owns it or can open it
 */
export function readKeypairFile(path: string): Keypair {
  const bytes = decode(path, read(path));
  const keypair = keypairFromSeed(bytes.subarray(0, 32));
  if (!Buffer.from(bytes).equals(keypair.secretKey)) {
    throw new KeypairFileError(path, "holds a public key that is not its secret key's");
  }
  return keypair;
}

/** Returns why others can open a keypair file, as the rest of a sentence; null if they cannot. */
export function keypairExposure(
  path: string,
  { mode, uid, gid }: Pick<Stats, "mode" | "uid" | "gid">,
  user?: number,
): string | null {
  // systemd's LoadCredential admits the service's user through an access list, whose mask appears
  // as the group's permissions. The group is root's, which has no other members.
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
    return readFileSync(file, "utf8");
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
    return decodeSecretKey(text);
  } catch (error) {
    if (!(error instanceof SecretKeyFormatError)) throw error;
    throw new KeypairFileError(path, error.message);
  }
}
