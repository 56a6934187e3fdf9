import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../server/src/base/clock.ts";
import { createLog } from "../../server/src/base/log.ts";
import { readConfig } from "../../server/src/config/config.ts";
import { startServer } from "../../server/src/server.ts";
import { ROOT, type ServerProcess, startProcess } from "../support/processes.ts";

/** `tokend` as its sources are: tests that need no binary need not wait for the build. */
export const TOKEND = [process.execPath, join(ROOT, "server/src/main.ts")] as const;

/** Limits on how often agents may ask, which experiments would meet. */
const NO_RATE_LIMITS = {
  RATE_LIMIT_AUTH_PER_MINUTE: "0",
  RATE_LIMIT_WALLET_PER_MINUTE: "0",
  RATE_LIMIT_AGENT_PER_MINUTE: "0",
} as const;

/** What experiments need of a server, wherever it runs. */
export interface StartedServer extends AsyncDisposable {
  readonly url: string;
  /** What it has logged so far. */
  output(): string;
}

/** Starts it on a free port, with its data in `cwd`, in a process of its own. */
export function startFromSource(
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  return startCommand(TOKEND, cwd, env);
}

/** Starts it likewise, on a clock that runs so many times faster than ours. */
export function startFast(
  speed: number,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const script = fileURLToPath(new URL("./fast-tokend.ts", import.meta.url));
  return startCommand([process.execPath, script, String(speed)], cwd, env);
}

function startCommand(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  return startProcess(command, {
    cwd,
    env: { PORT: "0", DATA_DIR: join(cwd, "data"), ...NO_RATE_LIMITS, ...env },
    ready: /"url":"(http[^"]+)"[^\n]*tokend listens/,
  });
}

/**
 * Starts it likewise, but in this process, which is done in no time. Its log knows no secrets that it
 * would strike out of a line: what finds them there, finds what would have to be struck out.
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
