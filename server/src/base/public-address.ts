import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Azure's host agent: in the public range, but only Azure's virtual machines reach it. */
const AZURE_HOST = "168.63.129.16";
/** The range that IPv6 assigns to networks (RFC 4291, section 2.4); the rest is special. */
const GLOBAL_UNICAST = ipaddr.IPv6.parse("2000::");

/**
 * Returns false for private, loopback, link-local, metadata, carrier-grade NAT, multicast and
 * reserved addresses, and for IPv6 addresses that embed IPv4 (mapped, translated, 6to4, Teredo).
 */
export function isPublicAddress(address: string): boolean {
  // The parser also accepts spellings such as 1.2.3.
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  return parsed instanceof ipaddr.IPv6
    ? parsed.match(GLOBAL_UNICAST, 3)
    : parsed.toString() !== AZURE_HOST;
}

export function isLoopbackAddress(address: string): boolean {
  return isIP(address) !== 0 && ipaddr.parse(address).range() === "loopback";
}
