import type { FetchLike } from "@tokenctl/sdk";
import type { Dispatcher } from "undici";
import type { Environment } from "./own-files.ts";

const LOOPBACK = ["localhost", "127.0.0.1", "::1", "[::1]"];

/** Excludes this machine from the environment's proxy, which Bun's `fetch` would otherwise use. */
export function goDirectlyToLoopback(env: Record<string, string | undefined>): void {
  const direct = [env.no_proxy || env.NO_PROXY, ...LOOPBACK].filter(Boolean).join(",");
  env.no_proxy = direct;
  env.NO_PROXY = direct;
}

/** Returns the proxy for a URL, without its password, and the variable that sets it; or null. */
export function proxyBefore(url: string, env: Environment): { proxy: string; name: string } | null {
  if (!URL.canParse(url)) return null;
  const { protocol, hostname, host } = new URL(url);
  const upper = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const name = [upper.toLowerCase(), upper].find((one) => env[one]);
  const proxy = env[name ?? ""] ?? "";
  const direct = (env.no_proxy || env.NO_PROXY || "").split(",").map((one) => one.trim());
  const isDirect = [...direct, ...LOOPBACK].some(
    (one) => one === "*" || (one !== "" && [hostname, host].some((it) => endsWith(it, one))),
  );
  return name === undefined || isDirect || !URL.canParse(proxy)
    ? null
    : { proxy: new URL(proxy).origin, name };
}

const endsWith = (host: string, end: string) =>
  host === end || host.endsWith(end.startsWith(".") ? end : `.${end}`);

const PROXIES = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"];

/**
 * Sends requests through the environment's proxy, except those to this machine. Node's `fetch`
 * ignores the proxy. @returns undefined without a proxy, and on Bun, whose `fetch` uses it
 */
export function proxiedFetch(env: Environment): FetchLike | undefined {
  if ("Bun" in globalThis || !PROXIES.some((name) => env[name])) return undefined;
  const noProxy = [env.no_proxy ?? env.NO_PROXY ?? "", ...LOOPBACK].join();
  let dispatcher: Dispatcher | undefined;
  return async (url, init) => {
    const { EnvHttpProxyAgent, fetch } = await import("undici");
    dispatcher ??= new EnvHttpProxyAgent({ noProxy });
    const { status, headers, body } = await fetch(url, { ...init, dispatcher });
    // undici has already decompressed the body.
    const get = (name: string) => (name === "content-encoding" ? null : headers.get(name));
    return { status, headers: { get }, body };
  };
}
