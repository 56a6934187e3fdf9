import { isLoopbackUrl } from "../base/loopback.ts";
import type { Config } from "./config.ts";
import type { Env } from "./kinds.ts";

export function settingsWarnings(config: Config, env: Env): string[] {
  const found = [
    outboundProxyNotice(config, env),
    proxyWarning(config),
    loopbackUrlProblem("PUBLIC_URL", config),
  ];
  return found.filter((warning) => warning !== null);
}

/** Returns what to do if others cannot reach a URL for metadata, which never changes on chain. */
export function loopbackUrlProblem(
  name: "PUBLIC_URL" | "METADATA_BASE_URL",
  { chain, publicUrl, metadataBaseUrl }: Config,
): string | null {
  const url = name === "PUBLIC_URL" ? publicUrl : metadataBaseUrl;
  const isOwn = isLoopbackUrl(url) || ["0.0.0.0", "[::]"].includes(new URL(url).hostname);
  if (chain.chain === "local" || !isOwn) return null;
  return `${name} is ${url}, which only this machine reaches, and tokens' metadata would point there for good: set it to where others reach this server`;
}

export function outboundProxyNotice({ chain }: Config, env: Env): string | null {
  if (chain.chain === "local") return null;
  const far = chain.rpcUrls.find((url) => !isLoopbackUrl(url));
  const name = far?.startsWith("https:") ? "HTTPS_PROXY" : "HTTP_PROXY";
  if (far === undefined || !(env[name.toLowerCase()] || env[name])) return null;
  return `${name} is set: requests to RPC_URL pass that proxy, and fail if it does. List hosts to reach without it in NO_PROXY`;
}

/** The server has no TLS: an https `PUBLIC_URL` means a proxy, so all clients seem to be one. */
export function proxyWarning({ chain, publicUrl, limits }: Config): string | null {
  const isBehindProxy = chain.chain === "solana" && publicUrl.startsWith("https:");
  if (!isBehindProxy || limits.trustProxy) return null;
  return "PUBLIC_URL is https, so there is a proxy, but TRUST_PROXY is false: all clients have the proxy's address and share the limits of one address. Set TRUST_PROXY=true if the proxy sets X-Forwarded-For";
}
