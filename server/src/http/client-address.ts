import { isIP } from "node:net";
import type { LimitsConfig } from "../config/limits.ts";

/** What of a started server tells where a request came from; null where the app runs without one. */
export interface Peers {
  requestIP(request: Request): { readonly address: string } | null;
}

/** Longest textual IPv6 address in brackets, with a port. */
const MAX_LENGTH = 64;

/**
 * Who a request counts for where nobody has signed in.
 *
 * @param trustProxy whether a proxy of ours sets `X-Forwarded-For`; its last entry is then the one
 * that this proxy wrote, while all before it are the client's word
 * @returns an IPv4 address, or the /64 of an IPv6 one: a subscriber has all of that, for example
 * `2001:db8:0:7::/64`; `local` where the request came over no network
 */
export function clientAddress(request: Request, peers: Peers | null, trustProxy: boolean): string {
  const forwarded = trustProxy ? lastForwarded(request.headers.get("x-forwarded-for")) : null;
  const address = forwarded ?? peers?.requestIP(request)?.address;
  return address === undefined ? "local" : network(address);
}

/**
 * Whom launches count for, beside their agents. Where no limit asks for addresses, none is kept.
 *
 * @param peers the server, once it is started
 */
export function launchAddress(
  { launches, trustProxy }: Pick<LimitsConfig, "launches" | "trustProxy">,
  peers: () => Peers | null,
): (request: Request) => string | null {
  const { maxOfAddress, maxPendingOfAddress } = launches;
  if (!Number.isFinite(maxOfAddress) && !Number.isFinite(maxPendingOfAddress)) return () => null;
  return (request) => clientAddress(request, peers(), trustProxy);
}

function lastForwarded(header: string | null): string | null {
  const last = header?.slice(header.lastIndexOf(",") + 1).trim();
  if (last === undefined || last.length > MAX_LENGTH) return null;
  // Some proxies add the port: `192.0.2.1:443`, `[2001:db8::1]:443`.
  const address = /^\[(.+)\](?::\d+)?$/.exec(last)?.[1] ?? last.replace(/^([\d.]+):\d+$/, "$1");
  return isIP(address) ? address : null;
}

function network(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (isIP(address) !== 6) return address;
  const [head = "", tail] = (address.split("%")[0] ?? "").split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  // The last 32 bits may be written as an IPv4 address: two groups in one.
  const written = before.length + after.length + (/\.\d+$/.test(address) ? 1 : 0);
  const groups = [...before, ...Array<string>(Math.max(0, 8 - written)).fill("0"), ...after];
  return `${groups.slice(0, 4).map(canonicalGroup).join(":")}::/64`;
}

function canonicalGroup(group: string): string {
  return Number.parseInt(group, 16).toString(16);
}
