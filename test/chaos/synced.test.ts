import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LaunchAcceptedSchema } from "@tokenctl/shared/contract/launch";
import { Agent, expectShape } from "../support/agent.ts";
import { installBinaries } from "../support/binaries.ts";
import { startProcess, tempFolder } from "../support/processes.ts";
import { Counter } from "./counter.ts";
import { figures, scale } from "./scale.ts";
import { canTrace, judgeTrace, traced } from "./synced/system-calls.ts";

setDefaultTimeout(scale(600_000, 3_600_000));

/** Launches one after the other, and as many that come all at once. */
const LAUNCHES = scale(8, 250);

/**
 * Lets agents launch at a traced server.
 *
 * @param judged the part of the trace that counts. Default: all of it
 * @returns a verdict for each accepted launch
 */
async function launchTraced(
  command: readonly string[],
  folder: string,
  count: number,
  judged: (trace: string, pid: number) => string = (trace) => trace,
): Promise<Counter> {
  const log = join(folder, "trace.log");
  const eventIds: string[] = [];
  let pid: number;
  {
    await using server = await startProcess(traced(command, log), {
      cwd: folder,
      env: { PORT: "0", DATA_DIR: join(folder, "data"), RATE_LIMIT_AUTH_PER_MINUTE: "0" },
      ready: /"url":"(http[^"]+)"[^\n]*tokend listens/,
    });
    pid = server.pid;
    const launch = async (ticker: string) => {
      const agent = await Agent.signedIn(server);
      const { body } = await agent.launch({ ticker });
      eventIds.push(expectShape(LaunchAcceptedSchema, body).eventId);
    };
    const numbers = Array.from({ length: count }, (_, number) => number);
    for (const number of numbers) await launch(`ONE${number}`);
    await Promise.all(numbers.map((number) => launch(`MANY${number}`)));
    expect(await server.end("SIGTERM")).toBe(0);
  }
  const verdicts = new Counter();
  const trace = judged(await traceOf(log, pid), pid);
  for (const verdict of judgeTrace(trace, eventIds).values()) verdicts.add(verdict);
  return verdicts;
}

const IS_SYNC = /f(?:data)?sync/;

/** Without the syncs of the checkpointer's thread: by chance they cover launches that nothing else syncs. */
function ownSyncs(trace: string, pid: number): string {
  const isOther = (line: string) => IS_SYNC.test(line) && !line.trimStart().startsWith(`${pid} `);
  return trace
    .split("\n")
    .filter((line) => !isOther(line))
    .join("\n");
}

/** Waits for the end of the trace: strace still writes after its program has ended. */
async function traceOf(log: string, pid: number): Promise<string> {
  // Process ids are padded to five columns.
  const end = new RegExp(`^${pid} +\\+{3} exited with 0 \\+{3}$`, "m");
  for (;;) {
    const trace = readFileSync(log, "utf8");
    if (end.test(trace)) return trace;
    await Bun.sleep(10);
  }
}

describe.skipIf(!canTrace())("a launch (needs strace)", () => {
  test("is on the disk before it is answered", async () => {
    using folder = tempFolder();
    const { tokend } = await installBinaries(folder.path);
    const verdicts = await launchTraced([tokend], folder.path, LAUNCHES);
    figures("synced before answered", verdicts);
    expect(verdicts.toJSON()).toEqual({ synced: 2 * LAUNCHES });
  });

  test("that is not synced is detected", async () => {
    using folder = tempFolder();
    const script = fileURLToPath(new URL("./synced/unsynced-tokend.ts", import.meta.url));
    const verdicts = await launchTraced([process.execPath, script], folder.path, 10, ownSyncs);
    figures("synced before answered, with synchronous=normal", verdicts);
    // When the log begins again, its first commit syncs it, so some may be on the disk by chance.
    expect(verdicts.of("unsynced")).toBeGreaterThan(10);
  });
});
