import { spyOn } from "bun:test";
import { createProgram } from "../../server/src/program.ts";

/**
 * Runs `tokend admin …` against the server of a data directory.
 *
 * @returns what it prints
 * @throws {Error} what it would print before it exits with code 1
 */
export async function admin(dataDir: string, ...args: readonly string[]): Promise<string> {
  const before = process.env.DATA_DIR;
  process.env.DATA_DIR = dataDir;
  const log = spyOn(console, "log").mockImplementation(() => {});
  try {
    const program = createProgram();
    await program.parseAsync(["admin", ...args], { from: "user" });
    return log.mock.calls.map(([line]) => String(line)).join("\n");
  } finally {
    log.mockRestore();
    if (before === undefined) delete process.env.DATA_DIR;
    else process.env.DATA_DIR = before;
  }
}

/** The same with `--json`. @returns what a program reads */
// biome-ignore lint/suspicious/noExplicitAny: tests read different answers
export async function adminJson(dataDir: string, ...args: readonly string[]): Promise<any> {
  return JSON.parse(await admin(dataDir, ...args, "--json"));
}
