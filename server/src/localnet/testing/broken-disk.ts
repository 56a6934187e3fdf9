import { closeSync, readdirSync, readlinkSync } from "node:fs";

/** Whether {@link breakSync} works here: it looks for open files where Linux lists them. */
export const canBreakSync = process.platform === "linux";

/** Makes every later sync of a ledger's log fail in this process, as a broken disk does. */
export function breakSync(ledgerPath: string): void {
  const log = `${ledgerPath}-wal`;
  const open = readdirSync("/proc/self/fd").filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`) === log;
    } catch {
      // The folder's own, which is closed by now.
      return false;
    }
  });
  // SQLite opened it first.
  closeSync(Math.max(...open.map(Number)));
}
