import pg from "pg";
import { type PostgresHost, type PostgresTarget, showHost } from "../../base/postgres-url.ts";
import { NO_TLS, UnfitDatabaseError } from "./connection.ts";
import { ReadOnlyError, SQLSTATE } from "./faults.ts";
import { NewerSchemaError } from "./migrate.ts";
import { HostsError } from "./primary.ts";

const UNKNOWN_HOST = ["ENOTFOUND", "EAI_AGAIN", "EAI_NONAME", "EAI_FAIL", "DNS_ENOTFOUND"];
const REFUSED = ["ECONNREFUSED", "ENOENT"];
/** Of Node, OpenSSL and BoringSSL. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|ALTNAME/;

/**
 * Explains to the operator why the service cannot start on its database.
 *
 * @returns one line that names what is wrong: host, user, password, database, TLS or version; shows
 * no password. For example `Nothing listens on db1:5432`
 */
export function explainConnectError(error: unknown, target: PostgresTarget): string {
  if (error instanceof HostsError) {
    return error.problems.map(({ host, cause }) => explain(cause, target, host)).join("; ");
  }
  const [host] = target.hosts;
  return host ? explain(error, target, host) : messageOf(error);
}

function explain(error: unknown, target: PostgresTarget, host: PostgresHost): string {
  const at = showHost(host);
  if (error instanceof NewerSchemaError) return error.message;
  if (error instanceof UnfitDatabaseError) return `${at}: ${error.message}`;
  if (error instanceof ReadOnlyError) return `${at} takes no writes: it is a standby, or read-only`;
  if (error instanceof pg.DatabaseError) return explainRefusal(error, target, at);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const message = messageOf(error);
  if (UNKNOWN_HOST.includes(code)) return `The host ${host.host} is not known`;
  if (REFUSED.includes(code)) return `Nothing listens on ${at}`;
  if (message === NO_TLS) {
    return `${at} speaks no TLS, and sslmode=${target.sslMode} asks for it`;
  }
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
  switch (error.code) {
    case SQLSTATE.wrongPassword:
      return `${at} refuses the user "${user}" or its password`;
    case SQLSTATE.noAccess:
      return `${at} refuses the user "${user}" with sslmode=${sslMode} (${error.message})`;
    case SQLSTATE.noDatabase:
      return `${at} has no database "${database}"`;
    case SQLSTATE.startsUp:
      return `${at} starts up or shuts down`;
    case SQLSTATE.tooManyConnections:
      return `${at} has no connection free`;
    case SQLSTATE.noPermission:
      return `${at} does not allow the user "${user}" what the service needs (${error.message})`;
    case SQLSTATE.lockTimeout:
      return "Another server has been changing the database's version for a minute";
    default:
      return `${at} refuses the connection (${error.code ?? "no code"}: ${error.message})`;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
