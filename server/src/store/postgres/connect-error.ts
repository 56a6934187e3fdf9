import pg from "pg";
import { type PostgresHost, type PostgresTarget, showHost } from "../../base/postgres-url.ts";
import { NO_TLS, UnfitDatabaseError } from "./connection.ts";
import { HostsError, ReadOnlyError, SQLSTATE } from "./faults.ts";
import { NewerSchemaError } from "./migrate.ts";

const UNKNOWN_HOST = ["ENOTFOUND", "EAI_AGAIN", "EAI_NONAME", "EAI_FAIL", "DNS_ENOTFOUND"];
const REFUSED = ["ECONNREFUSED", "ENOENT"];
/** Of Node, OpenSSL and BoringSSL. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|ALTNAME/;

/** @returns one line for the operator, without the password: for example `Nothing listens on db1:5432` */
export function explainConnectError(error: unknown, target: PostgresTarget): string {
  const errors = error instanceof HostsError ? error.errors : [error];
  return errors.map((cause, index) => explain(cause, target, target.hosts[index])).join("; ");
}

function explain(error: unknown, target: PostgresTarget, host?: PostgresHost): string {
  const at = host ? showHost(host) : "The database";
  if (error instanceof NewerSchemaError) return error.message;
  if (error instanceof UnfitDatabaseError) return `${at}: ${error.message}`;
  if (error instanceof ReadOnlyError) return `${at} takes no writes: it is a standby, or read-only`;
  if (error instanceof pg.DatabaseError) return explainRefusal(error, target, at);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const message = error instanceof Error ? error.message : String(error);
  if (UNKNOWN_HOST.includes(code)) return `The host ${host?.host} is not known`;
  if (REFUSED.includes(code)) return `Nothing listens on ${at}`;
  if (message === NO_TLS) return `${at} speaks no TLS, and sslmode=${target.sslMode} asks for it`;
  if (CERTIFICATE.test(code)) {
    return `${at} has a certificate that sslmode=${target.sslMode} does not accept (${code})`;
  }
  if (message.startsWith("SASL") && message.includes("password")) {
    return `${at} asks for a password, and the URL has none`;
  }
  return `${at} does not answer as PostgreSQL does (${message})`;
}

function explainRefusal(error: pg.DatabaseError, target: PostgresTarget, at: string): string {
  const { user, database, sslMode } = target;
  const { code = "no code", message } = error;
  const refusals: Readonly<Record<string, string>> = {
    [SQLSTATE.wrongPassword]: `${at} refuses the user "${user}" or its password`,
    [SQLSTATE.noAccess]: `${at} refuses the user "${user}" with sslmode=${sslMode} (${message})`,
    [SQLSTATE.noDatabase]: `${at} has no database "${database}"`,
    [SQLSTATE.startsUp]: `${at} starts up or shuts down`,
    [SQLSTATE.tooManyConnections]: `${at} has no connection free`,
    [SQLSTATE.noPermission]: `${at} does not allow the user "${user}" what the service needs (${message})`,
    [SQLSTATE.lockTimeout]: "Another server has been changing the database's version for a minute",
  };
  return refusals[code] ?? `${at} refuses the connection (${code}: ${message})`;
}
