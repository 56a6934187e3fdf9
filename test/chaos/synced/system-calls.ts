/** Whether a launch was on the disk when its answer went out. */
export type Verdict = "synced" | "unsynced" | "unwritten" | "unanswered";

const CALLS = "pwrite64,pwritev,write,writev,sendto,sendmsg,fsync,fdatasync";

/** The command that writes to `log` what a program and its threads ask of the kernel, in order. */
export function traced(command: readonly string[], log: string): string[] {
  // Whole pages of the database, the files and sockets by name, and the program as the child.
  const how = ["-f", "-D", "-yy", "-s", "8192", "-e", `trace=${CALLS}`, "-e", "signal=none"];
  return ["strace", ...how, "-o", log, ...command];
}

/** Whether processes can be traced here. */
export function canTrace(): boolean {
  if (Bun.which("strace") === null) return false;
  return Bun.spawnSync(["strace", "-D", "-o", "/dev/null", "true"]).success;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
const WAL_WRITE = /^pwrite(?:64|v)\(\d+<[^>]*tokend\.sqlite-wal>/;
const WAL_SYNC = /^f(?:data)?sync\(\d+<[^>]*tokend\.sqlite-wal>/;
const SYNC_RESUMED = /^<\.\.\. f(?:data)?sync resumed>.* = 0$/;
const ANSWER = /^(?:sendto|sendmsg|write|writev)\(\d+<TCP.*HTTP\/1\.1 200 /;

/**
 * Reads a trace: a launch is synced if its row was written to the database's log, and all that had
 * been written there was synced to the disk, before its answer was handed to the kernel.
 */
export function judgeTrace(trace: string, eventIds: readonly string[]): Map<string, Verdict> {
  const verdicts = new Map<string, Verdict>(eventIds.map((eventId) => [eventId, "unanswered"]));
  const written = new Set<string>();
  const syncing = new Set<string>();
  let isDirty = false;
  for (const line of trace.split("\n")) {
    const [, thread = "", call = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (WAL_WRITE.test(call)) {
      isDirty = true;
      for (const [eventId] of call.matchAll(UUID)) written.add(eventId);
    } else if (WAL_SYNC.test(call)) {
      if (call.endsWith(" = 0")) isDirty = false;
      else syncing.add(thread);
    } else if (SYNC_RESUMED.test(call)) {
      if (syncing.delete(thread)) isDirty = false;
    } else if (ANSWER.test(call)) {
      for (const [eventId] of call.matchAll(UUID)) {
        if (verdicts.get(eventId) !== "unanswered") continue;
        if (!written.has(eventId)) verdicts.set(eventId, "unwritten");
        else verdicts.set(eventId, isDirty ? "unsynced" : "synced");
      }
    }
  }
  return verdicts;
}
