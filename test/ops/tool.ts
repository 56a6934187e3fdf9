import { findProgram, type Program } from "../../server/src/testing/find-program.ts";
import { ROOT, run } from "../support/processes.ts";

/** A program of the operator's world, which this machine may lack. */
export interface Tool {
  readonly path: string;
  readonly isMissing: boolean;
}

export function findTool(name: Program): Tool {
  const path = findProgram(name);
  return { path: path ?? name, isMissing: path === null };
}

/** Runs a tool in the repository's root. @throws {Error} with what it printed, if it fails */
export async function use({ path }: Tool, ...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await run([path, ...args], ROOT);
  if (exitCode !== 0) throw new Error(`${path} ${args.join(" ")}\n${stdout}${stderr}`);
  return stdout;
}
