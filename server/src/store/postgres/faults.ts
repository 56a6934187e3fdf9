import { DrizzleQueryError } from "drizzle-orm";
import pg from "pg";
import { ServiceError } from "../../base/service-error.ts";

/** An SQLSTATE; see "PostgreSQL Error Codes" in its manual. */
const UNIQUE_VIOLATION = "23505";

/** Serialization failure and deadlock. */
const UNDONE: readonly string[] = ["40001", "40P01"];

/** Classes of SQLSTATEs that mean that the database is unavailable, whatever the statement. */
const UNAVAILABLE: readonly string[] = [
  "08", // connection
  "25", // read-only, idle in a transaction for too long
  "28", // the password was changed
  "3D", // the database was deleted
  "40", // undone for another transaction
  "53", // disk, memory, connections
  "55", // lock timeout
  "57", // shut down, cancelled, statement timeout
  "58", // I/O errors and other failures of its system
];

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

  constructor(cause: unknown) {
    super("The connection to PostgreSQL was lost", { cause });
  }
}

export class CommitUnknown extends ConnectionLost {
  override readonly name = "CommitUnknown";
}

function unwrap(error: unknown): unknown {
  return error instanceof DrizzleQueryError ? error.cause : error;
}

function sqlStateOf(error: unknown): string | null {
  const cause = unwrap(error);
  return cause instanceof pg.DatabaseError ? (cause.code ?? null) : null;
}

export function violates(error: unknown, index: string): boolean {
  const cause = unwrap(error);
  if (!(cause instanceof pg.DatabaseError)) return false;
  return cause.code === UNIQUE_VIOLATION && cause.constraint === index;
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
  return error instanceof ReadOnlyError || sqlStateOf(error) === "25006";
}

export const isDiskFull = (error: unknown) => sqlStateOf(error) === "53100";
export const hasNoRoom = (error: unknown) => sqlStateOf(error) === "53300";

/** Returns the error, or `database_unavailable` without hosts or names if the database is down. */
export function toStoreError(error: unknown): unknown {
  const cause = unwrap(error);
  if (cause instanceof ServiceError || !isUnavailable(cause)) return cause;
  return new ServiceError("database_unavailable", { retryAfterSeconds: 2, cause });
}

function isUnavailable(error: unknown): boolean {
  if (error instanceof ReadOnlyError || error instanceof ConnectionLost) return true;
  return UNAVAILABLE.includes(sqlStateOf(error)?.slice(0, 2) ?? "");
}
