import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";

export interface DurableFileOptions {
  readonly existing: "refuse" | "replace";
  /** The new file's permissions, less the umask. Default: only its owner can read it. */
  readonly mode?: number;
}

/** Renames a draft once it is complete and on the disk: a crash leaves the old or the new file. */
export function writeDurably(
  path: string,
  write: (draft: string) => void,
  { existing, mode = 0o600 }: DurableFileOptions,
): void {
  // Two processes may replace a file at the same time, each with its own draft.
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

/** Uses a link, which unlike a rename does not replace an existing file. */
function linkNew(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "EEXIST") throw new Error(`${path} exists already`, { cause: error });
    // Some file systems do not support links.
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

const CHUNK_BYTES = 1024 ** 2;

/** Returns null if there is no file. @throws {Error} a link, folder, pipe (at once) or device */
export function openRegularFile(path: string): { readonly file: number; status: Stats } | null {
  const file = open(path);
  if (file === null) return null;
  // Checks the open file, because its name may refer to another one a moment later.
  const status = fstatSync(file);
  if (status.isFile()) return { file, status };
  closeSync(file);
  throw new Error(`${path} is not a regular file: put the file itself there.`);
}

export function copyRegularFile(from: string, to: string): void {
  const source = openRegularFile(from);
  if (source === null) throw new Error(`There is no file ${from}.`);
  const target = openSync(to, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let left = source.status.size; left > 0; ) {
      const read = readSync(source.file, chunk, 0, Math.min(left, chunk.length), null);
      if (read === 0) break;
      for (let done = 0; done < read; ) done += writeSync(target, chunk, done, read - done);
      left -= read;
    }
  } finally {
    closeSync(source.file);
    closeSync(target);
  }
}

function open(path: string): number | null {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    if (code === "ENXIO") throw new Error(`${path} is not a regular file.`, { cause: error });
    if (code !== "ELOOP") throw error;
    throw new Error(`${path} is a symbolic link: put the file itself there.`, { cause: error });
  }
}
