import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  type Stats,
  writeSync,
} from "node:fs";

const CHUNK_BYTES = 1024 ** 2;

/**
 * Opens a file for reading, or returns null if there is none. @throws {Error} if it is a link, a
 * folder, a pipe or a device; nothing waits for the writer of a named pipe
 */
export function openRegularFile(path: string): { readonly file: number; status: Stats } | null {
  const file = open(path);
  if (file === null) return null;
  // The open file is checked, not its name, which may lead elsewhere a moment later.
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
