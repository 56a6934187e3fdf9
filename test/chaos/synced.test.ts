import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "../support/agent.ts";
import { installBinaries } from "../support/binaries.ts";
import { startProcess, tempDir } from "../support/processes.ts";
import { Counter } from "./counter.ts";
import { figures, scale } from "./scale.ts";
import { canTrace, judgeTrace, traced } from "./synced/system-calls.ts";

setDefaultTimeout(scale(600_000, 3_600_000));

/** Launches one after the other, and as many that come all at once. */
const LAUNCHES = scale(8, 250);

test.skipIf(!canTrace())(
  "a launch is on the disk before it is answered (needs strace)",
  async () => {
    using folder = tempDir();
    const { tokend } = await installBinaries(folder.path);
    const log = join(folder.path, "trace.log");
    const eventIds: string[] = [];
    let pid: number;
    {
      await using server = await startProcess(traced([tokend], log), {
        cwd: folder.path,
        env: { PORT: "0", DATA_DIR: join(folder.path, "data"), RATE_LIMIT_AUTH_PER_MINUTE: "0" },
        ready: /"url":"(http[^"]+)"[^\n]*tokend listens/,
      });
      pid = server.pid;
      const launch = async (ticker: string) => {
        const agent = await Agent.signedIn(server);
        eventIds.push(await agent.accepted(ticker));
      };
      const numbers = Array.from({ length: LAUNCHES }, (_, number) => number);
      for (const number of numbers) await launch(`ONE${number}`);
      await Promise.all(numbers.map((number) => launch(`MANY${number}`)));
      expect(await server.end("SIGTERM")).toBe(0);
    }
    const verdicts = new Counter();
    const trace = await traceOf(log, pid);
    for (const verdict of judgeTrace(trace, eventIds).values()) verdicts.add(verdict);
    figures("synced before answered", verdicts);
    expect(verdicts.toJSON()).toEqual({ synced: 2 * LAUNCHES });
  },
);

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
