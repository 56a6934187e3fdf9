import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { median } from "./statistics.ts";

/** @returns milliseconds, in the median, that the disk takes to append 4 KiB and sync them */
export function syncedWrite(path: string): number {
  const block = Buffer.alloc(4096, 1);
  const file = openSync(path, "w");
  const times = Array.from({ length: 200 }, () => {
    const started = performance.now();
    writeSync(file, block);
    fdatasyncSync(file);
    return performance.now() - started;
  });
  closeSync(file);
  return median(times);
}
