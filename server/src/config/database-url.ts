/** The parts of a PostgreSQL URL as it is written; nothing is decoded. */
interface UrlParts {
  readonly credentials: string | null;
  readonly hosts: readonly string[];
  readonly path: string;
}

const SHAPE = "postgres://USER:PASSWORD@HOST:5432/DATABASE";
/** A name, an IPv4 address or an IPv6 address in brackets; perhaps a port. */
const HOST = /^(\[[0-9a-f:.]+\]|[\w.%-]+)(?::(.*))?$/i;
const MAX_PORT = 65_535;

/**
 * Checks the shape of a PostgreSQL URL, which may name several hosts. `URL` cannot: it knows one.
 *
 * @returns what is wrong, as the rest of a sentence that begins with the setting's name; it repeats
 * nothing of the URL, because that may hold a password. Null if nothing is
 */
export function databaseUrlProblem(text: string): string | null {
  if (!/^postgres(?:ql)?:\/\//.test(text)) {
    return `must begin with postgres:// or postgresql://, as in ${SHAPE}`;
  }
  const { credentials, hosts, path } = partsOf(text);
  if (path.includes("@") || credentials?.includes("@")) {
    return "has a character in its user or password that must be percent-encoded: / as %2F, @ as %40, ? as %3F, # as %23";
  }
  if (![credentials ?? "", path].every(isDecodable)) {
    return "has a % in its user, password or database that begins no percent-encoding: write it as %25";
  }
  if (hosts.includes("")) return `names no host, or an empty one: write ${SHAPE}`;
  for (const [index, host] of hosts.entries()) {
    const name = hosts.length === 1 ? "its host" : `host ${index + 1}`;
    const [whole, , port] = HOST.exec(host) ?? [];
    if (whole === undefined) return `has a wrong address as ${name}: write ${SHAPE}`;
    if (port !== undefined && !isPort(port)) {
      return `has a wrong port after ${name}: it must be a number from 1 to ${MAX_PORT}`;
    }
  }
  if (path.replace(/\?.*$/, "").length < 2) return `names no database: write ${SHAPE}`;
  return null;
}

/** @returns the texts of a PostgreSQL URL that only the operator may see */
export function databaseUrlSecrets(url: string): string[] {
  const { credentials, hosts, path } = partsOf(url);
  const passwords = [...path.matchAll(/[?&](?:ssl)?password=([^&]*)/g)].map(
    ([, text]) => text ?? "",
  );
  passwords.push(credentials?.replace(/^[^:]*:?/, "") ?? "");
  const decoded = passwords.filter(isDecodable).map(decodeURIComponent);
  // Errors of a connection name the host with its port.
  const addresses = hosts.map((host) => (/:\d+$/.test(host) ? host : `${host}:5432`));
  return [
    url,
    ...passwords,
    ...decoded,
    ...addresses,
    ...hosts.filter((host) => !isLoopback(host)).map(nameOf),
  ];
}

/** @returns the URL without its password, for commands that ask for it or read `PGPASSWORD` */
export function withoutPassword(url: string): string {
  const { credentials, hosts, path } = partsOf(url);
  const user = credentials?.replace(/:.*$/, "");
  const [, place = "", query = ""] = /^([^?]*)(.*)$/.exec(path) ?? [];
  const parameters = query
    .slice(1)
    .split("&")
    .filter((pair) => !/^(?:ssl)?password=/.test(pair));
  const rest = parameters.join("&");
  const authority = `${user ? `${user}@` : ""}${hosts.join(",")}`;
  return `postgres://${authority}${place}${rest === "" ? "" : `?${rest}`}`;
}

const nameOf = (host: string) => host.replace(/:\d+$/, "");

/** A loopback address is in lines about our own port too. */
const isLoopback = (host: string) => /^(?:127\.|localhost\b|\[::1\])/.test(host);

function partsOf(text: string): UrlParts {
  const rest = text.replace(/^[^:]*:\/\//, "");
  const end = rest.search(/[/?#]/);
  const authority = end === -1 ? rest : rest.slice(0, end);
  const at = authority.lastIndexOf("@");
  return {
    credentials: at === -1 ? null : authority.slice(0, at),
    hosts: authority.slice(at + 1).split(","),
    path: end === -1 ? "" : rest.slice(end),
  };
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function isPort(text: string): boolean {
  const port = Number(text);
  return /^\d{1,5}$/.test(text) && port >= 1 && port <= MAX_PORT;
}
