import { isIP } from "node:net";

const DEFAULT_PORT = 5432;
const SSL_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
const PARAMETERS = ["sslmode", "sslrootcert", "sslcert", "sslkey", "target_session_attrs"] as const;
/** All mean the same here: a server needs the database that takes writes. */
const SESSION_ATTRIBUTES = ["read-write", "primary", "any"];
const SHAPE =
  "^postgres(?:ql)?://(?:(?<user>[^:@/?#]*)(?::(?<password>[^@/?#]*))?@)?" +
  "(?<hosts>[^@/?#]*)(?:/(?<database>[^/?#]*))?(?:\\?(?<query>[^#]*))?$";

type SslMode = (typeof SSL_MODES)[number];

export interface PostgresHost {
  /** A name, an IP address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
}

/** What a database's URL says. */
export interface PostgresTarget {
  /** In the order written; the first that takes writes is used. */
  readonly hosts: readonly PostgresHost[];
  readonly user: string;
  /** Null if the database asks for none, or `PGPASSWORD` holds it. */
  readonly password: string | null;
  readonly database: string;
  readonly sslMode: SslMode;
  /** Files in PEM, by their paths. */
  readonly sslRootCert: string | null;
  readonly sslCert: string | null;
  readonly sslKey: string | null;
}

/**
 * Reads a database's URL as libpq does. Not by `URL`, which knows no list of hosts, and not by
 * pg-connection-string, for which `require` and `prefer` mean `verify-full`.
 *
 * @param url for example `postgres://user:password@db1:5432,db2:5432/tokend?sslmode=verify-full`
 * @throws {Error} whose message names the part that is wrong and shows no password
 */
export function parsePostgresUrl(url: string): PostgresTarget {
  const parts = new RegExp(SHAPE).exec(url)?.groups;
  if (!parts) {
    throw new Error(
      "It must look like postgres://user:password@host:5432/database; percent-encode special characters of the password",
    );
  }
  const user = decode(parts.user, "user");
  const database = decode(parts.database, "database");
  if (!user) throw new Error("It names no user");
  if (!database) throw new Error("It names no database");
  const query = parseQuery(parts.query ?? "");
  return {
    hosts: (parts.hosts ?? "").split(",").map(parseHost),
    user,
    password: parts.password === undefined ? null : decode(parts.password, "password"),
    database,
    sslMode: oneOf(SSL_MODES, "sslmode", query.get("sslmode") ?? "prefer"),
    sslRootCert: query.get("sslrootcert") ?? null,
    sslCert: query.get("sslcert") ?? null,
    sslKey: query.get("sslkey") ?? null,
  };
}

/** @returns a host and its port as messages show them */
export function showHost({ host, port }: PostgresHost): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

function parseHost(text: string): PostgresHost {
  const parts = /^(?:\[(?<ip>[0-9A-Fa-f:.]+)\]|(?<name>[^:[\]]*))(?::(?<port>\d+))?$/.exec(text);
  const host = decode(parts?.groups?.ip ?? parts?.groups?.name, "host");
  if (!host) throw new Error("A host is missing, or is not like name:5432 or [::1]:5432");
  const port = Number(parts?.groups?.port ?? DEFAULT_PORT);
  if (port < 1 || port > 65_535) throw new Error(`The port of ${host} is not between 1 and 65535`);
  return { host, port };
}

function parseQuery(text: string): Map<string, string> {
  const query = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    oneOf(PARAMETERS, "parameter", name);
    if (query.has(name)) throw new Error(`It names ${name} twice`);
    query.set(name, value);
  }
  const attributes = query.get("target_session_attrs");
  if (attributes !== undefined) {
    oneOf(SESSION_ATTRIBUTES, "target_session_attrs", attributes);
  }
  if (query.has("sslcert") !== query.has("sslkey")) {
    throw new Error("It needs both of sslcert and sslkey, or neither");
  }
  return query;
}

function oneOf<T extends string>(known: readonly T[], what: string, value: string): T {
  const found = known.find((one) => one === value);
  if (found) return found;
  throw new Error(`Its ${what} is ${JSON.stringify(value)}; it may be ${known.join(", ")}`);
}

function decode(text: string | undefined, part: string): string {
  try {
    return decodeURIComponent(text ?? "");
  } catch {
    throw new Error(`Its ${part} is not percent-encoded correctly`);
  }
}
