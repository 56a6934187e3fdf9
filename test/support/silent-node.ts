import { clusterSettings } from "./cluster-settings.ts";

/**
 * A node that takes requests and does not answer them until it is released; then, and while it is not
 * silent, it answers each with an error.
 */
export function silentNode(isSilent = true) {
  let released = Promise.withResolvers<void>();
  let asked = Promise.withResolvers<void>();
  if (!isSilent) released.resolve();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch() {
      asked.resolve();
      await released.promise;
      return new Response("away", { status: 503 });
    },
  });
  return {
    url: server.url.href,
    /** Settings of a server whose RPC it is. @param folder gets the launch wallet's keypair */
    settings: (folder: string) => clusterSettings(folder, server.url.href).env,
    /** Resolves at the first request since the start, or since it fell silent again. */
    asked: () => asked.promise,
    release: () => released.resolve(),
    fallSilent() {
      released = Promise.withResolvers();
      asked = Promise.withResolvers();
    },
    [Symbol.dispose]: () => void server.stop(true),
  };
}
