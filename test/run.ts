/**
 * Runs `test:files` with what all test files share: binaries of the servers that they start over and
 * over, and one PostgreSQL, which otherwise each file would start for itself. Arguments go to `bun test`.
 */
import { POSTGRES_PROGRAMS, startPostgres } from "../server/src/testing/postgres.ts";
import { buildTestPrograms } from "./build-programs.ts";

/** Files of all processes have pools of connections open. */
const SETTINGS = { max_connections: "400" };

await buildTestPrograms();
const postgres = POSTGRES_PROGRAMS === null ? null : await startPostgres({ settings: SETTINGS });
const tests = Bun.spawn([process.execPath, "run", "test:files", ...process.argv.slice(2)], {
  env: {
    ...process.env,
    BINARIES: "built",
    ...(postgres && { TEST_POSTGRES_PORT: `${postgres.port}` }),
  },
  stdio: ["inherit", "inherit", "inherit"],
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => tests.kill(signal));
const exitCode = await tests.exited;
await postgres?.[Symbol.asyncDispose]();
process.exit(exitCode);
