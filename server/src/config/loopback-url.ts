import { isLoopback } from "../base/loopback.ts";
import type { Config } from "./config.ts";

/**
 * The addresses of tokens' metadata go on chain and never change.
 *
 * @param name the setting
 * @returns what goes wrong and what to do if others cannot reach a URL of a real cluster's tokens; null
 * if nothing does
 */
export function loopbackUrlProblem(
  name: "PUBLIC_URL" | "METADATA_BASE_URL",
  { chain, publicUrl, metadataBaseUrl }: Pick<Config, "chain" | "publicUrl" | "metadataBaseUrl">,
): string | null {
  const url = name === "PUBLIC_URL" ? publicUrl : metadataBaseUrl;
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  const isOwn = isLoopback(host) || host === "0.0.0.0" || host === "::";
  if (chain.chain === "local" || !isOwn) return null;
  return `${name} is ${url}, which only this machine reaches, and tokens' metadata would point there for good: set it to where others reach this server`;
}
