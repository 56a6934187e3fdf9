import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";

const SECRET_BYTES = 32;

/**
 * Reads a secret of 32 bytes that is kept in a file of its own, and makes it where there is none.
 * Only its owner can read the file.
 *
 * @throws {Error} where the file is no such secret
 */
export function readOrCreateSecret(path: string): Uint8Array {
  create(path);
  const secret = Buffer.from(readFileSync(path, "utf8").trim(), "hex");
  if (secret.length !== SECRET_BYTES) {
    throw new Error(
      `${path} does not hold ${SECRET_BYTES} bytes in hex. Restore it from a backup; ` +
        "delete it only if nothing depends on it.",
    );
  }
  return secret;
}

function create(path: string): void {
  let file: number;
  try {
    file = openSync(path, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return;
    throw error;
  }
  writeSync(file, `${randomBytes(SECRET_BYTES).toString("hex")}\n`);
  fsyncSync(file);
  closeSync(file);
}
