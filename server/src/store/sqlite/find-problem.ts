import { statfsSync } from "node:fs";
import type { DatabaseProblem } from "../store.ts";
import { checkWritable, type Database } from "./database.ts";

/** With less free space the next write may fail, even if the last one succeeded. */
const MIN_FREE_BYTES = 4 * 1024 ** 2;

const DISK_FULL = "The disk is full: free some space, and launches are accepted again";
const LOCKED = "The database is locked by another program: end that program";
const NOT_WRITABLE = "The database cannot be written; see the server's log";

/**
 * See `Store.findProblem`.
 *
 * @param directory the directory of the database's files
 */
export function findProblem(db: Database, directory: string): DatabaseProblem | null {
  try {
    checkWritable(db);
    return isDiskFull(directory) ? { text: DISK_FULL, cause: null } : null;
  } catch (cause) {
    return { text: textOf(cause), cause };
  }
}

/** @returns whether the disk of a folder has too little space for another write */
export function isDiskFull(directory: string): boolean {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize < MIN_FREE_BYTES;
}

function textOf(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (code.startsWith("SQLITE_FULL")) return DISK_FULL;
  if (code.startsWith("SQLITE_BUSY")) return LOCKED;
  return NOT_WRITABLE;
}
