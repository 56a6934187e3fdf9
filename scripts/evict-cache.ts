/**
 * Makes Linux forget what it has read of the repository and of Bun, over and over until it is killed:
 * every program that runs beside it is read from the disk again.
 */
import { dlopen } from "bun:ffi";
import { closeSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";

const DONT_NEED = 4;
const libc = dlopen("libc.so.6", {
  posix_fadvise: { args: ["i32", "i64", "i64", "i32"], returns: "i32" },
});

for (;;) {
  evict(process.execPath);
  evictFolder(".");
}

function evictFolder(folder: string): void {
  for (const entry of ifThere(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) evictFolder(path);
    else if (entry.isFile()) evict(path);
  }
}

function evict(path: string): void {
  const file = ifThere(() => openSync(path, "r"));
  if (file === null) return;
  libc.symbols.posix_fadvise(file, 0, 0, DONT_NEED);
  closeSync(file);
}

/** @returns null if a test has just deleted it */
function ifThere<Result>(read: () => Result): Result | null {
  try {
    return read();
  } catch {
    return null;
  }
}
