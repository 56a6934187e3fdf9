import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LaunchAcceptedSchema } from "@tokenctl/shared/response-schemas";
import { Agent, expectShape } from "../support/agent.ts";
import { installBinaries } from "../support/binaries.ts";
import { startProcess, tempFolder } from "../support/processes.ts";
import { figures, scale } from "./scale.ts";
import { canTrace, judgeTrace, traced } from "./synced/system-calls.ts";
import { Tally } from "./tally.ts";

setDefaultTimeout(scale(110_000, 3_600_000));

/** Launches one after the other, and as many that come all at once. */
const LAUNCHES = scale(8, 250);

/** Lets agents launch at a traced server. @returns how the accepted launches fared */
async function launchTraced(
  command: readonly string[],
  folder: string,
  count: number,
): Promise<Tally> {
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
  const verdicts = new Tally();
  for (const verdict of judgeTrace(await traceOf(log, pid), eventIds).values())
    verdicts.add(verdict);
  return verdicts;
}

/** The tracer writes on for a moment after its program has ended. */
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
  test("default: is on the disk before it is answered", async () => {
    using folder = tempFolder();
    const { tokend } = await installBinaries(folder.path);
    const verdicts = await launchTraced([tokend], folder.path, LAUNCHES);
    figures("synced before answered", verdicts);
    expect(verdicts.toJSON()).toEqual({ synced: 2 * LAUNCHES });
  });

  test("behavior: that is not would be found out", async () => {
    using folder = tempFolder();
    const script = fileURLToPath(new URL("./synced/unsynced-tokend.ts", import.meta.url));
    const verdicts = await launchTraced([process.execPath, script], folder.path, 10);
    figures("synced before answered, with synchronous=normal", verdicts);
    // A checkpoint syncs what came before it, so some may be on the disk by chance.
    expect(verdicts.of("unsynced")).toBeGreaterThan(10);
  });
});
