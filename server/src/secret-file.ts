import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";

const SECRET_BYTES = 32;

/**
 * Reads a secret of 32 bytes that is kept in a file of its own, and makes it where there is none.
 * Only its owner can read a file that was made here.
 *
 * @throws {Error} where the file is no such secret, or open to every user of the machine
 */
export function readOrCreateSecret(path: string): Uint8Array {
  if (!existsSync(path)) create(path);
  const mode = statSync(path).mode & 0o777;
  if (process.platform !== "win32" && (mode & 0o007) !== 0) {
    throw new Error(
      `${path} is open to every user of this machine (mode ${mode.toString(8)}). ` +
        `If nobody else has seen it, run chmod 600 ${path}.`,
    );
  }
  const secret = Buffer.from(readFileSync(path, "utf8").trim(), "hex");
  if (secret.length !== SECRET_BYTES) {
    throw new Error(
      `${path} does not hold ${SECRET_BYTES} bytes in hex. Restore it from a backup; ` +
        "delete it only if nothing depends on it.",
    );
  }
  return secret;
}

/** Makes the file under another name first: a crash leaves a whole secret or none. */
function create(path: string): void {
  const draft = `${path}.new`;
  const file = openSync(draft, "w", 0o600);
  writeSync(file, `${randomBytes(SECRET_BYTES).toString("hex")}\n`);
  fsyncSync(file);
  closeSync(file);
  renameSync(draft, path);
}
