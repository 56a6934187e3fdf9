import { closeSync, constants, fsyncSync, linkSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";

export interface DurableFileOptions {
  readonly existing: "refuse" | "replace";
  /** Permissions of the new file, less the umask; by default only its owner can read it. */
  readonly mode?: number;
}

/**
 * Gives a draft a file's name only when it is whole and on the disk: a crash leaves the former file
 * or the new one. @throws {Error} if it may not be replaced, or what `write` throws
 */
export function writeDurably(
  path: string,
  write: (draft: string) => void,
  { existing, mode = 0o600 }: DurableFileOptions,
): void {
  // Two processes may replace a file at once, each with a draft of its own.
  const draft = existing === "replace" ? `${path}.${process.pid}.part` : `${path}.part`;
  rmSync(draft, { force: true });
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  closeSync(openSync(draft, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, mode));
  try {
    write(draft);
    sync(draft);
    if (existing === "replace") renameSync(draft, path);
    else linkNew(draft, path);
    sync(dirname(path));
  } finally {
    rmSync(draft, { force: true });
  }
}

/** A link refuses to replace a file, a rename does not. */
function linkNew(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "EEXIST") throw new Error(`${path} exists already`, { cause: error });
    // Some file systems have no links.
    renameSync(draft, path);
  }
}

function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
