import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

/** Writes a private file and its folder; a replacement is atomic. @throws a system error */
export function writePrivate(
  path: string,
  text: string,
  { replaces }: { replaces: boolean },
): void {
  const draft = replaces ? `${path}.${crypto.randomUUID()}.tmp` : path;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(draft, "wx", 0o600);
  try {
    // The umask applies to the mode of `open`, and can remove even the owner's bits.
    chmodSync(draft, 0o600);
    writeFileSync(file, text);
    fsyncSync(file);
    if (replaces) renameSync(draft, path);
  } catch (error) {
    if (replaces) rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}
