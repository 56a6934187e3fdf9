import { isIPv4 } from "node:net";

/** @returns whether only programs on this machine can reach a server that listens on this host */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return name === "localhost" || name === "::1" || (isIPv4(name) && name.startsWith("127."));
}

/**
 * @returns the host for a URL by which this machine reaches a server that listens on `host`: a
 * loopback address for all addresses (`0.0.0.0`, `::`), IPv6 addresses in brackets
 */
export function hostInUrl(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}
