import { crashAt, isCheckpointName } from "../checkpoint.ts";
import { systemClock } from "../clock.ts";
import { readConfig } from "../config.ts";
import { createLog } from "../log.ts";
import { startServer } from "../server.ts";
import { VERSION } from "../version.ts";

/** `tokend serve`: runs until it is told to stop. */
export async function serve(): Promise<void> {
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  // Only crash tests set it; it names the step after which the process kills itself.
  const crash = process.env.TOKEND_CRASH_AT ?? "";
  const checkpoint = isCheckpointName(crash) ? { checkpoint: crashAt(crash) } : {};
  const server = await startServer(config, { clock: systemClock, log, ...checkpoint });
  log.info(
    { url: server.url, chain: config.chain.chain, dataDir: config.dataDir, version: VERSION },
    "tokend listens",
  );
  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, "stopping");
    await server.stop();
    log.info("stopped");
    process.exit(0);
  };
  process.on("SIGTERM", () => void stop("SIGTERM"));
  process.on("SIGINT", () => void stop("SIGINT"));
}
