import { closeSync, readdirSync, readlinkSync } from "node:fs";

/** Whether {@link breakSync} works here: it finds open files in `/proc`, which only Linux has. */
export const canBreakSync = process.platform === "linux";

/** Makes every later sync of a ledger's log fail in this process, as on a broken disk. */
export function breakSync(ledgerPath: string): void {
  const log = `${ledgerPath}-wal`;
  const open = readdirSync("/proc/self/fd").filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`) === log;
    } catch {
      // The descriptor of the folder itself, which is closed by now.
      return false;
    }
  });
  // SQLite opened it first.
  closeSync(Math.max(...open.map(Number)));
}
