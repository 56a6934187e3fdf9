import { isIP } from "node:net";
import { limits } from "@tokenctl/shared/limits";
import { isLoopbackAddress, isPublicAddress } from "../../base/public-address.ts";

export interface ReceiverPolicy {
  /** Whether receivers on this machine are allowed, also by http: on a sandbox alone. */
  readonly allowsLoopback: boolean;
}

export interface ReceiverUrl {
  readonly url: URL;
  /** The host without brackets and without a dot at its end. */
  readonly host: string;
  readonly isHttps: boolean;
}

/** Ports below 1024 but 443 are not for webhooks. @returns the URL, or a text after "must be" */
export function readReceiverUrl(
  text: string,
  { allowsLoopback }: ReceiverPolicy,
): ReceiverUrl | string {
  if (!URL.canParse(text)) return "a URL";
  const url = new URL(text);
  // The parser may write it longer than it was, for example a host in punycode.
  if (url.href.length > limits.webhook.url)
    return `a URL of at most ${limits.webhook.url} characters`;
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const isHttps = url.protocol === "https:";
  if (url.username !== "" || url.password !== "") return "a URL without a user name";
  if (isLoopbackHost(host)) {
    if (allowsLoopback && (isHttps || url.protocol === "http:")) return { url, host, isHttps };
    return "a URL of a public host";
  }
  if (!isHttps) return "an https URL";
  if (isIP(host) !== 0 && !isPublicAddress(host)) return "a URL of a public host";
  const port = Number(url.port || 443);
  if (port !== 443 && port < 1024) return "a URL with port 443 or one from 1024 on";
  return { url, host, isHttps };
}

export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || isLoopbackAddress(host);
}
