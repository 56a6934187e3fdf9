import { constants } from "node:os";
import { systemClock } from "../base/clock.ts";
import { createLog } from "../base/log.ts";
import { VERSION } from "../base/version.ts";
import { readConfig, settingNames } from "../config/config.ts";
import { misspelt } from "../config/misspelt.ts";
import { secretTexts } from "../config/secret-texts.ts";
import { crashAt, isCrashPointName } from "../launchpad/crash-point.ts";
import { startServer } from "../server.ts";

/** `tokend serve`: runs until a signal stops it. */
export async function serve(): Promise<void> {
  const config = readConfig(process.env);
  // Only the operator can read the files that the server writes.
  process.umask(0o077);
  const log = createLog(config.logLevel, secretTexts(config));
  for (const warning of misspelt(process.env, settingNames())) log.warn(warning);
  process.on("unhandledRejection", (err) => log.error({ err }, "unhandled rejection"));
  process.on("uncaughtException", (err) => {
    log.fatal({ err }, "uncaught exception");
    process.exit(1);
  });
  // Only crash tests set it: it names the step after which the process kills itself.
  const crash = process.env.TOKEND_CRASH_AT ?? "";
  const crashPoint = isCrashPointName(crash) ? { crashPoint: crashAt(crash) } : {};
  const server = await startServer(config, { clock: systemClock, log, ...crashPoint });
  let phase: "serving" | "draining" | "stopping" = "serving";
  const cutShort = Promise.withResolvers<void>();
  const stop = async (signal: "SIGTERM" | "SIGINT") => {
    if (phase === "draining") return cutShort.resolve();
    if (phase === "stopping") {
      log.warn({ signal }, "stopped at once");
      // The exit code that a shell reports for a process ended by a signal.
      process.exit(128 + constants.signals[signal]);
    }
    const { drainSeconds } = config;
    if (drainSeconds > 0) {
      phase = "draining";
      log.info({ signal, drainSeconds }, "draining; send the signal again to stop without waiting");
      server.drain();
      await Promise.race([cutShort.promise, Bun.sleep(drainSeconds * 1_000)]);
    }
    phase = "stopping";
    log.info({ signal }, "stopping; send the signal again to stop at once");
    await server.stop();
    log.info("stopped");
    process.exit(0);
  };
  process.on("SIGTERM", () => void stop("SIGTERM"));
  process.on("SIGINT", () => void stop("SIGINT"));
  // Last, so that whoever waits for the line can signal at once.
  log.info(
    {
      url: server.url,
      ...(server.metricsUrl !== null && { metricsUrl: server.metricsUrl }),
      chain: config.chain.chain,
      ...(config.databaseUrl === null ? { dataDir: config.dataDir } : { database: "postgresql" }),
      version: VERSION,
    },
    "tokend listens",
  );
}
