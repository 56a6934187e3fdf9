import { clusterSettings } from "./cluster-settings.ts";
import { tempDir } from "./processes.ts";
import { startTestServer, type TestServer } from "./test-server.ts";

/** Starts the service for a real cluster that cannot be reached: it accepts launches, and they wait. */
export async function startWaitingServer(
  env: Readonly<Record<string, string>> = {},
): Promise<TestServer> {
  const folder = tempDir();
  const settings = clusterSettings(folder.path).env;
  const server = await startTestServer({
    ...settings,
    TRUST_PROXY: "true",
    MAX_DAILY_SPEND_SOL: "unlimited",
    ...env,
  });
  return {
    get url() {
      return server.url;
    },
    get metricsUrl() {
      return server.metricsUrl;
    },
    clock: server.clock,
    config: server.config,
    stop: () => server.stop(),
    restart: () => server.restart(),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}
