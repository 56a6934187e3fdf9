import { existsSync, statfsSync } from "node:fs";

/** Below this many free bytes the operator is warned; launches are still accepted. */
const LOW_BYTES = 1024 ** 3;

export function diskNotice(folder: string): string | null {
  // The first start creates the folder.
  if (!existsSync(folder)) return null;
  const free = freeBytes(folder);
  if (free >= LOW_BYTES) return null;
  return `The disk of DATA_DIR has ${Math.floor(free / 1024 ** 2)} MiB left: free some, with less than 4 MiB launches are refused`;
}

export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
