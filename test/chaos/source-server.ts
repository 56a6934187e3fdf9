import { join } from "node:path";
import { systemClock } from "../../server/src/base/clock.ts";
import { createLog } from "../../server/src/base/log.ts";
import { readConfig } from "../../server/src/config/config.ts";
import { startServer } from "../../server/src/server.ts";
import { NO_RATE_LIMITS } from "../support/processes.ts";

export interface StartedServer extends AsyncDisposable {
  readonly url: string;
  output(): string;
}

/**
 * Starts the server in this process, which is faster. Its log strikes out no secrets, so that a test
 * finds every secret that reaches the log.
 */
export async function startHere(
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<StartedServer> {
  const config = readConfig({
    PORT: "0",
    DATA_DIR: join(cwd, "data"),
    ...NO_RATE_LIMITS,
    ...env,
  });
  const lines: string[] = [];
  const { url, stop } = await startServer(config, {
    clock: systemClock,
    log: createLog("debug", [], { write: (line) => void lines.push(line) }),
  });
  return { url, output: () => lines.join(""), [Symbol.asyncDispose]: stop };
}
