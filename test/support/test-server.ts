import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../server/src/base/clock.ts";
import { createLog } from "../../server/src/base/log.ts";
import { type Config, readConfig } from "../../server/src/config/config.ts";
import { type RunningServer, type ServerDeps, startServer } from "../../server/src/server.ts";
import { MovableClock } from "../../server/src/testing/manual-clock.ts";
import { NO_RATE_LIMITS } from "./processes.ts";

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  /** Where Prometheus reads the metrics; null without `METRICS_PORT`. */
  readonly metricsUrl: string | null;
  readonly clock: MovableClock;
  readonly config: Config;
  /** Stops the server, unless it is stopped, and starts another on the same data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A morning in UTC, so that a test's launches are of one day. */
const START = Date.UTC(2026, 2, 1, 9, 0, 0);

/**
 * Starts the whole service on the embedded chain, on a free port and a directory of its own, with
 * a clock that the test moves.
 *
 * @param deps what else the test watches or stops
 * @param startAt the clock's first time, in milliseconds since the Unix epoch
 */
export async function startTestServer(
  env: Readonly<Record<string, string>> = {},
  deps: Pick<ServerDeps, "crashPoint" | "isNewDatabase" | "resolveReceiver"> = {},
  startAt = START,
): Promise<TestServer> {
  const dataDir = mkdtempSync(join(tmpdir(), "tokend-test-"));
  const clock = new MovableClock(startAt);
  const config = readConfig({
    PORT: "0",
    DATA_DIR: dataDir,
    LOG_LEVEL: "silent",
    ...NO_RATE_LIMITS,
    ...env,
  });
  const start = () => startServer(config, { clock, log: createLog(config.logLevel), ...deps });
  let running: RunningServer = await start();
  let isRunning = true;
  const stop = async () => {
    if (isRunning) await running.stop();
    isRunning = false;
  };
  return {
    get url() {
      return running.url;
    },
    get metricsUrl() {
      return running.metricsUrl;
    },
    clock,
    config,
    stop,
    async restart() {
      await stop();
      running = await start();
      isRunning = true;
    },
    async [Symbol.asyncDispose]() {
      await stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

type Env = Readonly<Record<string, string>>;

/** Starts a server in this process, with these settings and no others; it logs nothing by default. */
export async function startHere(
  env: Env,
  deps: Partial<ServerDeps> = {},
): Promise<RunningServer & AsyncDisposable> {
  const own = { clock: systemClock, log: createLog("silent"), ...deps };
  const server = await startServer(readConfig(env), own);
  return { ...server, [Symbol.asyncDispose]: () => server.stop() };
}

/** Its log strikes out no secrets, so that a test finds every secret that reaches the log. */
export async function startLogged(cwd: string, env: Env) {
  const settings = { PORT: "0", DATA_DIR: join(cwd, "data"), ...NO_RATE_LIMITS, ...env };
  const lines: string[] = [];
  const log = createLog("debug", [], { write: (line) => void lines.push(line) });
  return { ...(await startHere(settings, { log })), output: () => lines.join("") };
}
