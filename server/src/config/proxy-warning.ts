import type { Config } from "./config.ts";

/**
 * The server speaks no TLS, so an https `PUBLIC_URL` means a proxy. If `TRUST_PROXY` is not set, all
 * clients have the proxy's address.
 *
 * @returns what goes wrong and what to do; null if nothing does
 */
export function proxyWarning({ chain, publicUrl, limits }: Config): string | null {
  const { maxOfAddress, maxPending } = limits.launches;
  const counts = Number.isFinite(maxOfAddress) || Number.isFinite(maxPending);
  const isBehindProxy = chain.chain === "solana" && publicUrl.startsWith("https:");
  if (!isBehindProxy || limits.trustProxy || !counts) return null;
  return "PUBLIC_URL is https, so there is a proxy, but TRUST_PROXY is false: all clients have the proxy's address and share the limits of one address. Set TRUST_PROXY=true if the proxy sets X-Forwarded-For";
}
