import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { LimitsConfig } from "../config/config.ts";

export interface Peers {
  requestIP(request: Request): { readonly address: string } | null;
}

const MAX_LENGTH = 64;
const NO_NETWORK = "local";
/** `::1`, as {@link subscriber} writes it. */
const LOOPBACK_6 = "0:0:0:0::/64";

/**
 * An IPv4 address, or the /64 that one subscriber of IPv6 has, for example `2001:db8:0:7::/64`; `local` over
 * no network. @param trustProxy whether our proxy wrote the last entry of `X-Forwarded-For`: the client may
 * have invented the others
 */
export function clientAddress(request: Request, peers: Peers | null, trustProxy: boolean): string {
  const forwarded = trustProxy ? lastForwarded(request.headers.get("x-forwarded-for")) : null;
  const address = forwarded ?? peers?.requestIP(request)?.address;
  return address === undefined ? NO_NETWORK : subscriber(address);
}

export type ShareAddress = (request: Request) => string | null;

/** Null for a request over no network, and for one from this machine if those are exempt. */
export function shareAddress(
  { trustProxy, exemptsLoopback }: Pick<LimitsConfig, "trustProxy" | "exemptsLoopback">,
  peers: () => Peers | null,
): ShareAddress {
  return (request) => {
    const address = clientAddress(request, peers(), trustProxy);
    if (address === NO_NETWORK) return null;
    const isLoopback = address === LOOPBACK_6 || address.startsWith("127.");
    return isLoopback && exemptsLoopback ? null : address;
  };
}

function lastForwarded(header: string | null): string | null {
  const last = header?.slice(header.lastIndexOf(",") + 1).trim();
  if (last === undefined || last.length > MAX_LENGTH) return null;
  // Some proxies add the port: `192.0.2.1:443`, `[2001:db8::1]:443`.
  const address = /^\[(.+)\](?::\d+)?$/.exec(last)?.[1] ?? last.replace(/^([\d.]+):\d+$/, "$1");
  return isIP(address) ? address : null;
}

/** A gateway of IPv6 networks writes clients of IPv4 as `64:ff9b::192.0.2.1` (RFC 6052). */
const NAT64 = ipaddr.IPv6.parse("64:ff9b::");

export function subscriber(address: string): string {
  if (isIP(address) !== 6) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  if (parsed.match(NAT64, 96)) return parsed.toByteArray().slice(12).join(".");
  const prefix = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${prefix.join(":")}::/64`;
}
