import { isIPv4 } from "node:net";

export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return name === "localhost" || name === "::1" || (isIPv4(name) && name.startsWith("127."));
}

export const isLoopbackUrl = (url: string) =>
  isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ""));

/**
 * Returns the hosts in URLs that a server on `host` answers; null for any. This stops DNS
 * rebinding: a web page may resolve its own name to this machine, but the browser still sends that
 * name.
 */
export function ownHosts(host: string, publicUrl?: string): readonly string[] | null {
  if (!isLoopback(host)) return null;
  const hosts = ["localhost", "127.0.0.1", "[::1]", hostInUrl(host)];
  const isNamed = publicUrl !== undefined && URL.canParse(publicUrl);
  return isNamed ? [...hosts, new URL(publicUrl).hostname] : hosts;
}

/** Checks whether a request is for one of these hosts. Ignores the port: it may be forwarded. */
export function hostFilter(hosts: readonly string[] | null): (request: Request) => boolean {
  if (hosts === null) return () => true;
  // Parsing a URL takes a tenth of a small request's time, and most repeat the previous origin.
  let known: string | null = null;
  return ({ url }) => {
    if (known !== null && url.startsWith(known)) return true;
    // Bun builds the URL from the `Host` header, and omits the host if that is unusable.
    const parsed = URL.parse(url);
    if (parsed === null || !hosts.includes(parsed.hostname)) return false;
    known = `${parsed.origin}/`;
    return true;
  };
}

/** Returns the host for URLs on this machine to a server on `host`, IPv6 in brackets. */
export function hostInUrl(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

/** Adds host and port to the error if listening fails; Bun's own message omits them. */
export function explainListening<Listening>(
  listen: () => Listening,
  { hostname, port, remedy }: { hostname: string; port: number; remedy: string },
): Listening {
  try {
    return listen();
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    const host = hostname.includes(":") ? `[${hostname}]` : hostname;
    const why =
      error.code === "EADDRINUSE"
        ? `is taken: another program listens there; stop it, or ${remedy}`
        : `cannot be listened on (${error.code}): name an address of this machine, and a port that this user may take`;
    throw new Error(`${host}:${port} ${why}`, { cause: error });
  }
}
