import { findProgram } from "../../../server/src/testing/find-program.ts";

export type Verdict = "synced" | "unsynced" | "unwritten" | "unanswered";

const CALLS = "pwrite64,pwritev,write,writev,sendto,sendmsg,fsync,fdatasync";

/** @returns a command that runs a program and writes the system calls of its threads to `log` */
export function traced(command: readonly string[], log: string): string[] {
  // -s keeps whole pages of the database, -yy names files and sockets, -D runs strace as the child.
  const how = ["-f", "-D", "-yy", "-s", "8192", "-e", `trace=${CALLS}`, "-e", "signal=none"];
  return ["strace", ...how, "-o", log, ...command];
}

/** Whether strace is here and may trace; prints it if not. */
export function canTrace(): boolean {
  if (findProgram("strace") === null) return false;
  const can = Bun.spawnSync(["strace", "-D", "-o", "/dev/null", "true"]).success;
  if (!can) console.warn("Tests that trace system calls are skipped: strace may not trace here.");
  return can;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;
const SYNC_RESUMED = /^<\.\.\. f(?:data)?sync resumed>.* = 0$/;
const ANSWER = /^(?:sendto|sendmsg|write|writev)\(\d+<TCP.*HTTP\/1\.1 200 /;

/**
 * Reads a trace. A launch is synced if its row was written to the database's log, and everything
 * written there was synced to the disk, before its answer was written to the socket.
 *
 * @param database the database's file name
 */
export function judgeTrace(
  trace: string,
  eventIds: readonly string[],
  database = "tokend.sqlite",
): Map<string, Verdict> {
  const log = `\\(\\d+<[^>]*${RegExp.escape(database)}-wal>`;
  const walWrite = new RegExp(`^pwrite(?:64|v)${log}`);
  const walSync = new RegExp(`^f(?:data)?sync${log}`);
  const verdicts = new Map<string, Verdict>(eventIds.map((eventId) => [eventId, "unanswered"]));
  const written = new Set<string>();
  /** The writes before each thread began to sync, which its sync surely covers. */
  const syncing = new Map<string, number>();
  let writes = 0;
  let synced = 0;
  for (const line of trace.split("\n")) {
    const [, thread = "", call = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (walWrite.test(call)) {
      writes += 1;
      for (const [eventId] of call.matchAll(UUID)) written.add(eventId);
    } else if (walSync.test(call)) {
      if (call.endsWith(" = 0")) synced = writes;
      else syncing.set(thread, writes);
    } else if (SYNC_RESUMED.test(call)) {
      synced = Math.max(synced, syncing.get(thread) ?? 0);
      syncing.delete(thread);
    } else if (ANSWER.test(call)) {
      for (const [eventId] of call.matchAll(UUID)) {
        if (verdicts.get(eventId) !== "unanswered") continue;
        if (!written.has(eventId)) verdicts.set(eventId, "unwritten");
        else verdicts.set(eventId, synced < writes ? "unsynced" : "synced");
      }
    }
  }
  return verdicts;
}
