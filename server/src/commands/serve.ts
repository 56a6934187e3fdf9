import { constants } from "node:os";
import { nextTurn, systemClock, waitAtMost } from "../base/clock.ts";
import { createLog } from "../base/log.ts";
import { VERSION } from "../base/version.ts";
import { type Config, readConfig, secretTexts } from "../config/config.ts";
import { settingsWarnings } from "../config/warnings.ts";
import { crashPointOf } from "../launchpad/crash-point.ts";
import { reserve } from "../reserve.ts";
import type { RunningServer, ServerDeps } from "../server.ts";

/** How long a signal waits for a start to stop, in milliseconds. To stop it then is crash-safe. */
const GIVE_UP_MS = 8_000;

interface ServeOptions {
  readonly paused?: boolean;
  readonly newDatabase?: boolean;
}

export async function serve({
  paused = false,
  newDatabase = false,
}: ServeOptions = {}): Promise<void> {
  const config = readConfig(process.env);
  process.umask(0o077);
  const log = createLog(config.logLevel, secretTexts(config));
  process.on("unhandledRejection", (err) => log.error({ err }, "unhandled rejection"));
  process.on("uncaughtException", (err) => {
    log.fatal({ err }, "uncaught exception");
    process.exit(1);
  });
  const giveUp = new AbortController();
  const started = Promise.withResolvers<RunningServer | null>();
  let phase: "starting" | "serving" | "draining" | "stopping" = "starting";
  const cutShort = Promise.withResolvers<void>();
  const ignore = (signal: string) => log.info({ signal }, "signal ignored");
  const stop = async (signal: "SIGTERM" | "SIGINT" | "SIGHUP") => {
    if (phase === "draining") return cutShort.resolve();
    if (phase === "stopping") {
      log.warn({ signal }, "stopped at once");
      // The exit code that a shell reports for a process that a signal ended.
      process.exit(128 + constants.signals[signal]);
    }
    const { drainSeconds } = config;
    if (phase === "serving" && drainSeconds > 0) {
      phase = "draining";
      log.info({ signal, drainSeconds }, "draining; send the signal again to stop without waiting");
      (await started.promise)?.drain();
      await Promise.race([cutShort.promise, Bun.sleep(drainSeconds * 1_000)]);
    }
    const wasStarting = phase === "starting";
    phase = "stopping";
    log.info({ signal }, "stopping; send the signal again to stop at once");
    giveUp.abort();
    const stopped = started.promise.then((server) => server?.stop());
    await (wasStarting ? waitAtMost(GIVE_UP_MS, stopped) : stopped);
    log.info("stopped");
    process.exit(0);
  };
  process.on("SIGTERM", () => void stop("SIGTERM"));
  process.on("SIGINT", () => void stop("SIGINT"));
  // Closing the terminal stops the server. Without one, scripts send these signals to have files
  // reloaded.
  process.on("SIGHUP", () => (process.stderr.isTTY ? void stop("SIGHUP") : ignore("SIGHUP")));
  for (const signal of ["SIGUSR1", "SIGUSR2"] as const) process.on(signal, () => ignore(signal));
  const reserved = reserve(config, { clock: systemClock, log });
  for (const warning of settingsWarnings(config, process.env)) log.warn(warning);
  const { signal } = giveUp;
  const server = await start(config, {
    clock: systemClock,
    log,
    crashPoint: crashPointOf(process.env),
    reserved,
    giveUp: signal,
    isPaused: paused,
    isNewDatabase: newDatabase,
  });
  started.resolve(server);
  if (server === null || signal.aborted) return;
  phase = "serving";
  // Logged last, so that a program that waits for this line can send a signal at once.
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

async function start(config: Config, deps: ServerDeps): Promise<RunningServer | null> {
  // Loads a part at a time, the small ones first, so that the port answers in between.
  for (const load of [
    () => import("../http/admit.ts"),
    () => import("../base/native-keys.ts"),
    () => import("../open-store.ts"),
    () => import("../app.ts"),
  ]) {
    await nextTurn();
    await load();
  }
  await nextTurn();
  const { startServer } = await import("../server.ts");
  try {
    return await startServer(config, deps);
  } catch (error) {
    if (deps.giveUp?.aborted && error === deps.giveUp.reason) return null;
    throw error;
  }
}
