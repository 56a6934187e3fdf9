import { statfsSync } from "node:fs";

/** @returns how much this process can write on the disk of a folder, in bytes */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
