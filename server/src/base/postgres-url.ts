import { isIP } from "node:net";
import { isLoopback } from "./loopback.ts";

const SHAPE = "postgres://USER:PASSWORD@HOST:5432/DATABASE";
const HOST = /^(?:\[([0-9a-f:.]+)\]|([\w.%-]+))(?::(\d+))?$/i;
const DEFAULT_PORT = "5432";
const MAX_PORT = 65_535;
const SSL_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
const PARAMETERS = ["sslmode", "sslrootcert"] as const;

export interface PostgresHost {
  readonly host: string;
  readonly port: number;
}

export interface PostgresTarget {
  /** In the order of the URL; the first that accepts writes is used. */
  readonly hosts: readonly PostgresHost[];
  readonly user: string;
  /** Null if the database needs none, or `PGPASSWORD` holds it. */
  readonly password: string | null;
  readonly database: string;
  readonly sslMode: (typeof SSL_MODES)[number];
  readonly sslRootCert: string | null;
}

/**
 * Parses a database's URL as libpq does. `URL` does not support lists of hosts, and
 * pg-connection-string treats `require` and `prefer` as `verify-full`.
 * @throws {Error} the rest of a sentence, for example `names no user`, without the password
 */
export function parsePostgresUrl(url: string): PostgresTarget {
  const [, authority = null, rest = ""] = /^postgres(?:ql)?:\/\/([^/?#]*)(.*)$/s.exec(url) ?? [];
  if (authority === null) {
    throw new Error(`must begin with postgres:// or postgresql://, as in ${SHAPE}`);
  }
  const at = authority.lastIndexOf("@");
  const credentials = authority.slice(0, Math.max(0, at));
  if (rest.includes("@") || credentials.includes("@")) {
    throw new Error(
      "has a character in its user or password that must be percent-encoded: / as %2F, @ as %40, ? as %3F, # as %23",
    );
  }
  const [user = "", ...password] = credentials.split(":");
  const [, database = "", parameters = ""] = /^\/([^/?#]*)(?:\?([^#]*))?$/.exec(rest) ?? [];
  const query = parseQuery(parameters);
  const target = {
    hosts: authority
      .slice(at + 1)
      .split(",")
      .map(parseHost),
    user: decode(user),
    password: password.length === 0 ? null : decode(password.join(":")),
    database: decode(database),
    sslMode: oneOf(SSL_MODES, "sslmode", query.get("sslmode") ?? "prefer"),
    sslRootCert: query.get("sslrootcert") ?? null,
  };
  if (target.user === "") throw new Error(`names no user: write ${SHAPE}`);
  if (target.database === "") throw new Error(`names no database: write ${SHAPE}`);
  return target;
}

export function showHost({ host, port }: PostgresHost): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Returns the parts of a database's URL that only the operator may see. */
export function postgresUrlSecrets(url: string): string[] {
  const { hosts, password } = parsePostgresUrl(url);
  const [, written = ""] = /^\w+:\/\/[^:@/?#]*:([^@/?#]*)@/.exec(url) ?? [];
  // Connection errors name host and port. Loopback is no secret: lines about our own port name it.
  // Nor is a bare name such as `postgres`, which is part of words in other lines.
  const names = hosts.map(({ host }) => host).filter((host) => /[.:]/.test(host));
  const remote = names.filter((host) => !isLoopback(host));
  return [url, written, password ?? "", ...hosts.map(showHost), ...remote];
}

function parseHost(text: string): PostgresHost {
  const [whole, ip, name, port = DEFAULT_PORT] = HOST.exec(text) ?? [];
  if (whole === undefined || Number(port) < 1 || Number(port) > MAX_PORT) {
    throw new Error(`has a wrong host or port: write ${SHAPE}`);
  }
  return { host: ip ?? decode(name ?? ""), port: Number(port) };
}

function parseQuery(text: string): Map<string, string> {
  const query = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    oneOf(PARAMETERS, "parameter", name);
    query.set(name, value);
  }
  return query;
}

function oneOf<T extends string>(known: readonly T[], what: string, value: string): T {
  const found = known.find((one) => one === value);
  if (found) return found;
  throw new Error(`has ${JSON.stringify(value)} as its ${what}; it may be ${known.join(", ")}`);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error("has a % that begins no percent-encoding: write it as %25");
  }
}
