import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync, readFileSync, type Stats, writeSync } from "node:fs";
import { openRegularFile, writeDurably } from "./durable-file.ts";

const SECRET_BYTES = 32;
/** A secret takes 65 bytes, in hex with a newline. */
const MAX_FILE_BYTES = 1024;

/**
 * Reads a secret of 32 bytes from its file, or creates the file. Only its owner can read a new
 * file, and it is on the disk before the secret is used.
 * @throws {Error} the file holds no such secret, is a link, or belongs or is open to another user
 */
export function readOrCreateSecret(path: string): Uint8Array {
  const kept = readSecret(path);
  if (kept !== null) return kept;
  writeDurably(path, fill, { existing: "refuse" });
  const made = readSecret(path);
  if (made === null) throw new Error(`${path} disappeared right after it was made`);
  return made;
}

/** Returns null if there is no such file. @throws {Error} like {@link readOrCreateSecret} */
export function readSecret(path: string): Uint8Array | null {
  const opened = openRegularFile(path);
  if (opened === null) return null;
  const { file, status } = opened;
  try {
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

function fill(draft: string): void {
  const file = openSync(draft, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    writeSync(file, `${randomBytes(SECRET_BYTES).toString("hex")}\n`);
  } finally {
    closeSync(file);
  }
}

/** Returns who else can open a secret file and what to do, as the rest of a sentence, or null. */
export function exposure(
  path: string,
  { mode, uid }: Pick<Stats, "mode" | "uid">,
  user: number | undefined = process.geteuid?.(),
): string | null {
  if (user === undefined) return null;
  if (uid !== user && uid !== 0) {
    return (
      `belongs to another user (uid ${uid}), who can read and change it. ` +
      `If no other user has read it, run chown ${user} ${path}.`
    );
  }
  if ((mode & 0o077) === 0) return null;
  return (
    `is open to other users of this machine (mode ${(mode & 0o777).toString(8)}). ` +
    `If no other user has read it, run chmod 600 ${path}.`
  );
}
