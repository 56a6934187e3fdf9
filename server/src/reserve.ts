import type { Logger } from "pino";
import type { Clock } from "./base/clock.ts";
import type { Config } from "./config/config.ts";
import { lockDataDirectory, prepareDataDirectory } from "./data/directory.ts";
import { type Drain, openPort } from "./http/listen.ts";

export type Reserved = ReturnType<typeof reserve>;

/** Takes folder and port, which answers that the server starts. @throws {Error} if one is in use */
export function reserve(config: Config, { clock, log }: { clock: Clock; log: Logger }) {
  const { dataDir } = config;
  // For a database that several servers share, the folder is neither created nor locked.
  if (config.databaseUrl === null) prepareDataDirectory(dataDir, log);
  const lock = config.databaseUrl === null ? lockDataDirectory(dataDir) : null;
  const drain: Drain = { isDraining: false };
  try {
    const { corsOrigins } = config;
    const port = openPort({ hostname: config.host, port: config.port, corsOrigins, drain, clock });
    return {
      port,
      drain,
      async release() {
        await port.server.stop(true);
        lock?.release();
      },
    };
  } catch (error) {
    lock?.release();
    throw error;
  }
}
