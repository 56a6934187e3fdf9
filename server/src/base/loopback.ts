import { isIPv4 } from "node:net";

export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return name === "localhost" || name === "::1" || (isIPv4(name) && name.startsWith("127."));
}

export function isLoopbackUrl(url: string): boolean {
  return isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ""));
}

/**
 * @returns the hosts in URLs that a server on `host` answers; null for any. A web page may let its
 * own name lead to this machine (DNS rebinding), but the browser names it
 */
export function ownHosts(host: string, publicUrl?: string): readonly string[] | null {
  if (!isLoopback(host)) return null;
  const hosts = ["localhost", "127.0.0.1", "[::1]", hostInUrl(host)];
  const isNamed = publicUrl !== undefined && URL.canParse(publicUrl);
  return isNamed ? [...hosts, new URL(publicUrl).hostname] : hosts;
}

/** @returns whether a request is for one of these hosts, at any port: a forwarded one differs */
export function hostFilter(hosts: readonly string[] | null): (request: Request) => boolean {
  if (hosts === null) return () => true;
  // To parse a URL takes a tenth of a small request's time, and most are for the origin of the last one.
  let known: string | null = null;
  return ({ url }) => {
    if (known !== null && url.startsWith(known)) return true;
    // Bun makes the URL of the `Host` header, and without a usable one leaves the host out.
    const parsed = URL.parse(url);
    if (parsed === null || !hosts.includes(parsed.hostname)) return false;
    known = `${parsed.origin}/`;
    return true;
  };
}

/** @returns the host in a URL of this machine for a server on `host`, IPv6 in brackets */
export function hostInUrl(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
