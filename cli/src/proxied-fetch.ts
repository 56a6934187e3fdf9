import type { FetchLike } from "@tokenctl/sdk";
import type { Dispatcher } from "undici";

const PROXIES = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"];

/**
 * Sends requests through the proxy that the environment names, which Node's `fetch` does not do, and those to this
 * machine directly. @returns undefined without a proxy, and on Bun, whose `fetch` does it
 */
export function proxiedFetch(
  env: Readonly<Record<string, string | undefined>>,
): FetchLike | undefined {
  if ("Bun" in globalThis || !PROXIES.some((name) => env[name])) return undefined;
  const noProxy = [env.no_proxy ?? env.NO_PROXY ?? "", "localhost", "127.0.0.1", "[::1]"].join();
  let dispatcher: Dispatcher | undefined;
  return async (url, init) => {
    const { EnvHttpProxyAgent, fetch } = await import("undici");
    dispatcher ??= new EnvHttpProxyAgent({ noProxy });
    const { status, headers, body } = await fetch(url, { ...init, dispatcher });
    // The body is decompressed as it is read.
    const get = (name: string) => (name === "content-encoding" ? null : headers.get(name));
    return { status, headers: { get }, body };
  };
}
