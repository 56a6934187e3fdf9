import { DrizzleQueryError } from "drizzle-orm";
import pg from "pg";
import { ServiceError } from "../../base/service-error.ts";

const RETRY_AFTER_SECONDS = 2;

/** SQLSTATEs, see "PostgreSQL Error Codes" in its manual. */
export const SQLSTATE = {
  serializationFailure: "40001",
  deadlock: "40P01",
  uniqueViolation: "23505",
  readOnly: "25006",
  diskFull: "53100",
  tooManyConnections: "53300",
  lockTimeout: "55P03",
  wrongPassword: "28P01",
  noAccess: "28000",
  noDatabase: "3D000",
  noPermission: "42501",
  startsUp: "57P03",
} as const;

/** Classes of SQLSTATEs that say nothing about the statement: the database cannot work now. */
const UNAVAILABLE_CLASSES = [
  "08", // connection
  "28", // the password was changed
  "53", // disk, memory, connections
  "57", // shut down, cancelled, statement timeout
  "58", // its files
];
const UNAVAILABLE_CODES: readonly string[] = [
  SQLSTATE.serializationFailure,
  SQLSTATE.deadlock,
  SQLSTATE.readOnly,
  SQLSTATE.lockTimeout,
  "25P03", // idle in a transaction for too long
  SQLSTATE.noDatabase,
];

/** The database takes no writes: it is a standby, or it is set to read only. */
export class ReadOnlyError extends Error {
  override readonly name = "ReadOnlyError";
  constructor() {
    super("The database takes no writes");
  }
}

/** The connection broke, or the database was silent for too long. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
  /** Whether a statement had been sent, so that it may have been carried out. */
  readonly wasSent: boolean;

  constructor(cause: unknown, wasSent: boolean) {
    super("The connection to PostgreSQL was lost", { cause });
    this.wasSent = wasSent;
  }
}

/** The connection was lost in a commit: the transaction may be stored. */
export class CommitUnknown extends Error {
  override readonly name = "CommitUnknown";
  constructor(cause: unknown) {
    super("The outcome of a commit is not known", { cause });
  }
}

/** @returns the error below drizzle's wrapper */
function unwrap(error: unknown): unknown {
  return error instanceof DrizzleQueryError ? error.cause : error;
}

/** @returns the SQLSTATE of an error that PostgreSQL sent; null for any other */
export function sqlStateOf(error: unknown): string | null {
  const cause = unwrap(error);
  return cause instanceof pg.DatabaseError ? (cause.code ?? null) : null;
}

/** @returns whether PostgreSQL refused a row because of this unique index */
export function violates(error: unknown, index: string): boolean {
  const cause = unwrap(error);
  return (
    cause instanceof pg.DatabaseError &&
    cause.code === SQLSTATE.uniqueViolation &&
    cause.constraint === index
  );
}

/** @returns whether the connection is of no use after this error */
export function isLost(error: unknown): boolean {
  const cause = unwrap(error);
  if (cause instanceof pg.DatabaseError) return ["FATAL", "PANIC"].includes(cause.severity ?? "");
  return cause instanceof ConnectionLost || cause instanceof CommitUnknown;
}

/** @returns whether the statement or transaction was undone and may pass if it is repeated */
export function isTransient(error: unknown): boolean {
  const state = sqlStateOf(error);
  return (
    state === SQLSTATE.serializationFailure || state === SQLSTATE.deadlock || isReadOnly(error)
  );
}

/** @returns whether the host turned out to be a standby, or to be set to read only */
export function isReadOnly(error: unknown): boolean {
  return error instanceof ReadOnlyError || sqlStateOf(error) === SQLSTATE.readOnly;
}

/**
 * @returns what a call of the store rejects with: `database_unavailable` if the database cannot work now,
 * without hosts or names in its text; otherwise the error itself
 */
export function toStoreError(error: unknown): unknown {
  const cause = unwrap(error);
  if (cause instanceof ServiceError || !isUnavailable(cause)) return cause;
  return new ServiceError("database_unavailable", {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause,
  });
}

function isUnavailable(error: unknown): boolean {
  if (
    error instanceof ReadOnlyError ||
    error instanceof ConnectionLost ||
    error instanceof CommitUnknown
  )
    return true;
  const state = sqlStateOf(error);
  if (state === null) return false;
  return UNAVAILABLE_CODES.includes(state) || UNAVAILABLE_CLASSES.includes(state.slice(0, 2));
}
