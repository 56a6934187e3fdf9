/**
 * Runs tests with what all files share: binaries of the servers that they start over and over, one
 * PostgreSQL, which otherwise each file would start for itself, and a folder for their files in memory,
 * unless `TMPDIR` names another. Arguments go to `bun test`.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import {
  initialise,
  POSTGRES_PROGRAMS,
  removeAtExit,
  startPostgres,
} from "../server/src/testing/postgres.ts";
import { buildTestPrograms } from "./build-programs.ts";
import { memoryFolder } from "./memory-folder.ts";
import { runFiles } from "./run-files.ts";
import { BINARIES } from "./support/binaries.ts";
import { ROOT } from "./support/processes.ts";

/** How long each file took, so that the next run starts the slowest first. */
const TIMINGS = join(import.meta.dir, "../node_modules/.test-timings.json");
const SETTINGS = { max_connections: "400" };

// Otherwise a signal before the tests would end this process with its folder still there.
let isInterrupted = false;
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => (isInterrupted = true));

let binaries = join(ROOT, "dist");
const memory = process.env.TMPDIR ? null : memoryFolder();
const keeper = memory === null ? null : removeAtExit(memory);
if (memory !== null) {
  process.env.TMPDIR = memory;
  // Tests link them, which another disk does not allow.
  for (const name of BINARIES) copyFileSync(join(binaries, name), join(memory, name));
  binaries = memory;
}
/** The data before the start, which tests copy for instances of their own. */
const newData = (data: string) => `${data}-new`;
const [postgres] = await Promise.all([
  POSTGRES_PROGRAMS === null
    ? null
    : startPostgres({
        settings: SETTINGS,
        fill: async (tools, data) => {
          await initialise(tools, data);
          execFileSync("cp", ["-a", data, newData(data)]);
        },
      }),
  buildTestPrograms(),
]);
const args = [`--timings=${TIMINGS}`, "--update-timings", ...process.argv.slice(2)];
const env = {
  BINARIES: binaries,
  ...(postgres && {
    TEST_POSTGRES_PORT: `${postgres.port}`,
    TEST_POSTGRES_DATA: newData(postgres.data),
  }),
};
const exitCode = isInterrupted ? 1 : await runFiles(args, env);
await postgres?.[Symbol.asyncDispose]();
await keeper?.remove();
process.exit(exitCode);
