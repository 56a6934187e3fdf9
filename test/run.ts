/**
 * Runs tests with what all files share: binaries of the servers that they start over and over, and
 * one PostgreSQL, which otherwise each file would start for itself. Arguments go to `bun test`.
 */
import { join } from "node:path";
import { POSTGRES_PROGRAMS, startPostgres } from "../server/src/testing/postgres.ts";
import { buildTestPrograms } from "./build-programs.ts";
import { runFiles } from "./run-files.ts";

/** How long each file took, so that the next run starts the slowest first. */
const TIMINGS = join(import.meta.dir, "../node_modules/.test-timings.json");
/** Files of all processes have pools of connections open. */
const SETTINGS = { max_connections: "400" };

await buildTestPrograms();
const postgres = POSTGRES_PROGRAMS === null ? null : await startPostgres({ settings: SETTINGS });
const exitCode = await runFiles(
  [`--timings=${TIMINGS}`, "--update-timings", ...process.argv.slice(2)],
  {
    BINARIES: "built",
    ...(postgres && { TEST_POSTGRES_PORT: `${postgres.port}` }),
  },
);
await postgres?.[Symbol.asyncDispose]();
process.exit(exitCode);
