import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readFileSync, writeSync } from "node:fs";
import { writeDurably } from "./durable-file.ts";
import { exposure } from "./private-file.ts";

const SECRET_BYTES = 32;
/** A secret in hex and its newline take 65 bytes. */
const MAX_FILE_BYTES = 1024;

/**
 * Reads a secret of 32 bytes from a file of its own, and makes the file if there is none. Only its
 * owner can read a new file, and it is on the disk before the secret is used.
 *
 * @throws {Error} if the file holds no such secret, is a link, or belongs or is open to another user
 */
export function readOrCreateSecret(path: string): Uint8Array {
  const kept = readSecret(path);
  if (kept !== null) return kept;
  writeDurably(path, fill, { existing: "refuse" });
  const made = readSecret(path);
  if (made === null) throw new Error(`${path} disappeared right after it was made`);
  return made;
}

/**
 * Reads a secret from a file of its own.
 *
 * @returns null if there is no such file
 * @throws {Error} as {@link readOrCreateSecret}
 */
export function readSecret(path: string): Uint8Array | null {
  const file = open(path);
  if (file === null) return null;
  try {
    // The open file is checked, not its name, which may lead elsewhere a moment later.
    const status = fstatSync(file);
    if (!status.isFile()) throw new Error(`${path} is no regular file: ${WHAT_TO_DO}`);
    const problem = exposure(path, status);
    if (problem !== null) throw new Error(`${path} ${problem}`);
    const text = status.size > MAX_FILE_BYTES ? "" : readFileSync(file, "utf8");
    const secret = Buffer.from(text.trim(), "hex");
    if (secret.length !== SECRET_BYTES) {
      throw new Error(`${path} does not hold ${SECRET_BYTES} bytes in hex. ${WHAT_TO_DO}`);
    }
    return secret;
  } finally {
    closeSync(file);
  }
}

const WHAT_TO_DO = "Restore it from a backup; delete it only if nothing depends on it.";

/** Opens a file without following links and without waiting for the writer of a named pipe. */
function open(path: string): number | null {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    if (code !== "ELOOP") throw error;
    throw new Error(`${path} is a symbolic link: put the file itself there.`, { cause: error });
  }
}

function fill(draft: string): void {
  const file = openSync(draft, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    writeSync(file, `${randomBytes(SECRET_BYTES).toString("hex")}\n`);
  } finally {
    closeSync(file);
  }
}
