/**
 * Makes Linux forget what it has read of the repository and of Bun, over and over until it is killed:
 * every program that runs beside it is read from the disk again.
 */
import { dlopen } from "bun:ffi";
import { closeSync, openSync } from "node:fs";

const DONT_NEED = 4;
const libc = dlopen("libc.so.6", {
  posix_fadvise: { args: ["i32", "i64", "i64", "i32"], returns: "i32" },
});

for (;;) {
  evict(process.execPath);
  for (const path of new Bun.Glob("**/*").scanSync({ absolute: true, dot: true })) evict(path);
}

function evict(path: string): void {
  try {
    const file = openSync(path, "r");
    libc.symbols.posix_fadvise(file, 0, 0, DONT_NEED);
    closeSync(file);
  } catch {
    // A test has just deleted it.
  }
}
