import type { Config } from "./config.ts";

/**
 * The server speaks no TLS, so an https `PUBLIC_URL` is a proxy's; where that one is not trusted,
 * all clients have its address.
 *
 * @returns what then goes wrong and what to do about it; null where all is well
 */
export function proxyWarning({ chain, publicUrl, limits }: Config): string | null {
  const { maxOfAddress, maxPendingOfAddress } = limits.launches;
  const counts = Number.isFinite(maxOfAddress) || Number.isFinite(maxPendingOfAddress);
  const isBehindProxy = chain.chain === "solana" && publicUrl.startsWith("https:");
  if (!isBehindProxy || limits.trustProxy || !counts) return null;
  return "PUBLIC_URL is https, which is a proxy's, and TRUST_PROXY is false: all clients have the proxy's address, and what is allowed to one address is allowed to all of them together. Set TRUST_PROXY=true if the proxy sets X-Forwarded-For";
}
