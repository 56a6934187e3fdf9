import { isIPv4 } from "node:net";

/** @returns whether only programs on this machine reach what listens on a host */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return name === "localhost" || name === "::1" || (isIPv4(name) && name.startsWith("127."));
}
