import { closeSync, constants, fsyncSync, linkSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a file under another name, and gives it its own only once it is whole and on the disk. Only
 * its owner can read it.
 *
 * @param write fills the empty file at the path that it is given
 * @throws {Error} where the file exists, or what `write` threw; then nothing is left behind
 */
export function writeDurably(path: string, write: (draft: string) => void): void {
  const draft = `${path}.part`;
  rmSync(draft, { force: true });
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  closeSync(openSync(draft, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600));
  try {
    write(draft);
    sync(draft);
    publish(draft, path);
    sync(dirname(path));
  } finally {
    rmSync(draft, { force: true });
  }
}

/** A link refuses to replace what is there, a rename does not. */
function publish(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "EEXIST") throw new Error(`${path} exists already`, { cause: error });
    // Some file systems know no links.
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
