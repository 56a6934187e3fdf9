import { mkdirSync, statSync } from "node:fs";
import type { Logger } from "pino";

/** Makes the data directory for its owner alone; warns if an existing one is open to others. */
export function prepareDataDirectory(path: string, log: Logger): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const mode = statSync(path).mode & 0o777;
  if (process.platform === "win32" || (mode & 0o077) === 0) return;
  log.warn({ mode: mode.toString(8) }, `others can read ${path}: run chmod 700 ${path}`);
}
