import { DrizzleQueryError } from "drizzle-orm";
import pg from "pg";
import { ServiceError } from "../../base/service-error.ts";
import type { DatabaseProblem } from "../store.ts";

/** SQLSTATEs; see "PostgreSQL Error Codes" in its manual. */
const SQLSTATE = {
  uniqueViolation: "23505",
  readOnly: "25006",
  tooManyConnections: "53300",
} as const;

/** Serialization failure and deadlock. */
const UNDONE: readonly string[] = ["40001", "40P01"];

/** SQLSTATEs, or their classes, with which the database cannot work now, whatever the statement. */
const UNAVAILABLE: readonly string[] = [
  ...UNDONE,
  SQLSTATE.readOnly,
  "25P03", // idle in a transaction for too long
  "3D000", // the database was deleted
  "55P03", // lock timeout
  "08", // connection
  "28", // the password was changed
  "53", // disk, memory, connections
  "57", // shut down, cancelled, statement timeout
  "58", // I/O errors and other failures of its system
];

const PROBLEMS: Readonly<Record<string, string>> = {
  [SQLSTATE.tooManyConnections]: "The database has no connection free",
  [SQLSTATE.readOnly]: "The database takes no writes: it is a standby, or it is set to read only",
};

export class ReadOnlyError extends Error {
  override readonly name = "ReadOnlyError";
  constructor() {
    super("it takes no writes: it is a standby, or read-only");
  }
}

/** No host both answers and accepts writes. `errors` are in the order of the hosts. */
export class HostsError extends AggregateError {
  override readonly name = "HostsError";
}

/** The connection broke, or the database was silent for too long. */
export class ConnectionLost extends Error {
  override readonly name: string = "ConnectionLost";

  /** @param wasSent whether a statement was sent, and so may have been carried out */
  constructor(
    cause: unknown,
    readonly wasSent: boolean,
  ) {
    super("The connection to PostgreSQL was lost", { cause });
  }
}

export class CommitUnknown extends ConnectionLost {
  override readonly name = "CommitUnknown";
}

function unwrap(error: unknown): unknown {
  return error instanceof DrizzleQueryError ? error.cause : error;
}

/** Returns null for an error that PostgreSQL did not send. */
function sqlStateOf(error: unknown): string | null {
  const cause = unwrap(error);
  return cause instanceof pg.DatabaseError ? (cause.code ?? null) : null;
}

export function violates(error: unknown, index: string): boolean {
  const cause = unwrap(error);
  if (!(cause instanceof pg.DatabaseError)) return false;
  return cause.code === SQLSTATE.uniqueViolation && cause.constraint === index;
}

export function isLost(error: unknown): boolean {
  const cause = unwrap(error);
  if (cause instanceof pg.DatabaseError) return ["FATAL", "PANIC"].includes(cause.severity ?? "");
  return cause instanceof ConnectionLost;
}

/** Returns whether PostgreSQL undid the statement or transaction, so that a retry may succeed. */
export function isTransient(error: unknown): boolean {
  return isReadOnly(error) || UNDONE.includes(sqlStateOf(error) ?? "");
}

export function isReadOnly(error: unknown): boolean {
  return error instanceof ReadOnlyError || sqlStateOf(error) === SQLSTATE.readOnly;
}

/** Returns the error, or `database_unavailable` without hosts or names if the database is down. */
export function toStoreError(error: unknown): unknown {
  const cause = unwrap(error);
  if (cause instanceof ServiceError || !isUnavailable(cause)) return cause;
  return new ServiceError("database_unavailable", { retryAfterSeconds: 2, cause });
}

function isUnavailable(error: unknown): boolean {
  if (error instanceof ReadOnlyError || error instanceof ConnectionLost) return true;
  const state = sqlStateOf(error) ?? "";
  return UNAVAILABLE.includes(state) || UNAVAILABLE.includes(state.slice(0, 2));
}

/** Explains why the database cannot be used, without hosts or names. */
export function problemOf(error: unknown): DatabaseProblem {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const state = isReadOnly(cause) ? SQLSTATE.readOnly : sqlStateOf(cause);
    const text = PROBLEMS[state ?? ""];
    if (text !== undefined) return { text, cause: error };
  }
  return { text: "The database does not answer; see the server's log", cause: error };
}
