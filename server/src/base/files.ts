import { Database, SQLiteError } from "bun:sqlite";
import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lchownSync,
  linkSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";

/**
 * Renames a draft once it is complete and on the disk: a crash leaves the old or the new file.
 * @param options `mode` is reduced by the umask; by default only the owner can read the new file
 */
export function writeDurably(
  path: string,
  write: (draft: string) => void,
  { existing, mode = 0o600 }: { readonly existing: "refuse" | "replace"; readonly mode?: number },
): void {
  // Two processes may write a file at the same time, each to its own draft.
  const draft = `${path}.${process.pid}.part`;
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
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
    throw new Error(`${path} exists already`, { cause });
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
  const text = `${randomBytes(SECRET_BYTES).toString("hex")}\n`;
  writeDurably(path, (draft) => writeFileSync(draft, text), { existing: "refuse" });
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

/**
 * Gives a file of root to the owner of its folder: otherwise the server could not open it. Follows no
 * link, by which that owner could get any file of root.
 */
export function giveToOwner(path: string): void {
  const { uid, gid } = statSync(dirname(path));
  if (process.geteuid?.() === 0) lchownSync(path, uid, gid);
}

export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

export interface SqliteLock {
  release(): void;
}

/** Takes a write lock, which a crash releases. @throws {Error} `inUse`: another process holds it */
export function takeLock(path: string, inUse: string): SqliteLock {
  const client = new Database(path, { create: true });
  try {
    giveToOwner(path);
    client.run("pragma busy_timeout = 0");
    client.run("begin exclusive");
    // SQLite also begins, without a lock, on a file that this user may only read.
    client.run("pragma user_version = 1");
  } catch (cause) {
    client.close();
    const code = cause instanceof SQLiteError && cause.code;
    if (code === "SQLITE_BUSY") throw new Error(inUse, { cause });
    if (code !== "SQLITE_READONLY") throw cause;
    throw new Error(`${path} cannot be written: give it to this user`, { cause });
  }
  return { release: () => client.close() };
}
