import type { DatabaseProblem } from "../store.ts";
import { ReadOnlyError, SQLSTATE, sqlStateOf } from "./faults.ts";

const NO_ANSWER = "The database does not answer; see the server's log";
const READ_ONLY = "The database takes no writes: it is a standby, or it is set to read only";
const NO_CONNECTION = "The database has no connection free";
const DISK_FULL = "The database's disk is full: free some space, and launches are accepted again";

/** @returns why the database is of no use, in words without hosts and names */
export function problemOf(error: unknown): DatabaseProblem {
  return { text: textOf(error), cause: error };
}

function textOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const state = sqlStateOf(cause);
    if (state === SQLSTATE.diskFull) return DISK_FULL;
    if (state === SQLSTATE.tooManyConnections) return NO_CONNECTION;
    if (state === SQLSTATE.readOnly || cause instanceof ReadOnlyError) return READ_ONLY;
  }
  return NO_ANSWER;
}
