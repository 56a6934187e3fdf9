import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Azure's host agent: an address of the public range that only its virtual machines reach. */
const AZURE_HOST = "168.63.129.16";
/** What IPv6 gives out to networks (RFC 4291, section 2.4); all else is for special purposes. */
const GLOBAL_UNICAST = ipaddr.IPv6.parse("2000::");

/**
 * @returns false for private, loopback, link-local, metadata, carrier's, multicast and reserved addresses, and
 * for IPv6 addresses that stand for an IPv4 address (mapped, translated, 6to4, Teredo)
 */
export function isPublicAddress(address: string): boolean {
  // The parser also reads spellings such as 1.2.3.
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
