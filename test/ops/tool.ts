import { ROOT, run } from "../support/processes.ts";

/** A program of the operator's world, which this machine may lack. */
export interface Tool {
  readonly path: string;
  readonly isMissing: boolean;
}

/** Finds a program, and says what is skipped without it. */
export function findTool(name: string): Tool {
  // Debian keeps servers off a user's PATH.
  const path = Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` });
  if (path === null) console.warn(`no ${name} here: the tests of ops/ that use it are skipped`);
  return { path: path ?? name, isMissing: path === null };
}

/** Runs a tool in the repository's root. @throws {Error} with what it printed, if it fails */
export async function use({ path }: Tool, ...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await run([path, ...args], ROOT);
  if (exitCode !== 0) throw new Error(`${path} ${args.join(" ")}\n${stdout}${stderr}`);
  return stdout;
}
