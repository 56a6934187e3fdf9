import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { howToInstall, type Missing } from "../server/src/testing/find-program.ts";
import { KEEPS_MEMORY, ROOT } from "./support/processes.ts";

const SLOWEST = 10;
/**
 * Two for each core. Tests wait for programs, connections and timers: on two cores four workers leave
 * 7 % of the processors' time unused. A fifth takes longer, because each worker loads and compiles the
 * modules of its files again.
 */
const WORKERS = Math.min(8, 2 * availableParallelism());

/**
 * Runs test files. If this process or the runner ends in any way, every process that a test started
 * ends too. Then prints the slowest files, and what to install so that nothing is skipped.
 *
 * @param args of `bun test`: paths and flags
 * @returns the runner's exit code
 */
export async function runFiles(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "test-run-"));
  const [report, missing] = [join(folder, "report.xml"), join(folder, "missing")];
  const reporter = ["--reporter=junit", `--reporter-outfile=${report}`];
  const flags = [`--parallel=${WORKERS}`, ...reporter];
  const command = [process.execPath, "--no-orphans", "run", "test:files", ...flags, ...args];
  // What the last of JavaScriptCore's compilers costs, tests of seconds do not get back: a twentieth.
  const quick = { ...KEEPS_MEMORY, BUN_JSC_useFTLJIT: "false" };
  const tests = Bun.spawn(command, {
    cwd: ROOT,
    env: { ...process.env, ...quick, ...env, MISSING_PROGRAMS: missing },
    stdio: ["inherit", "inherit", "inherit"],
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => tests.kill(signal));
  const exitCode = await tests.exited;
  const slowest = slowestFiles(read(report));
  if (slowest.length > 0) console.log(["", "The slowest files:", ...slowest].join("\n"));
  const lacking = new Set(read(missing).split("\n").filter(Boolean) as Missing[]);
  if (lacking.size > 0) console.log(howToInstall([...lacking].sort()));
  rmSync(folder, { recursive: true });
  return exitCode;
}

/** @returns a file's text; "" if nothing wrote it */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** @returns the slowest files of a JUnit report, whose other suites have other names than their file */
function slowestFiles(report: string): string[] {
  const files = [...report.matchAll(/<testsuite name="([^"]*)" file="\1" [^>]*? time="([^"]*)"/g)];
  return files
    .map(([, file, seconds]) => ({ file, seconds: Number(seconds) }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST)
    .map(({ file, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${file}`);
}
