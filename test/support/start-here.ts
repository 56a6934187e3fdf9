import { join } from "node:path";
import { systemClock } from "../../server/src/base/clock.ts";
import { createLog } from "../../server/src/base/log.ts";
import { readConfig } from "../../server/src/config/config.ts";
import { type RunningServer, type ServerDeps, startServer } from "../../server/src/server.ts";
import { NO_RATE_LIMITS } from "./processes.ts";

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
