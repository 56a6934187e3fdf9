import { join } from "node:path";

const root = join(import.meta.dir, "..", "..");

/** Servers that tests change, such as one with a clock of its own. */
const SOURCES = {
  "fast-tokend": "test/chaos/fast-tokend.ts",
  "shifted-tokend": "test/chaos/shifted-tokend.ts",
} as const;

export type TestProgram = keyof typeof SOURCES;

export const TEST_PROGRAMS = Object.keys(SOURCES) as readonly TestProgram[];

/** Whether `bun run test` has compiled the programs: each start then takes half of the time. */
const isBuilt = process.env.BINARIES === "built";

export const sourceOf = (program: TestProgram) => join(root, SOURCES[program]);
export const binaryOf = (program: TestProgram) => join(root, "dist", "test", program);

/** @returns the command that runs a program: its binary, or without one its source */
export function testProgram(program: TestProgram): readonly string[] {
  return isBuilt ? [binaryOf(program)] : [process.execPath, sourceOf(program)];
}

/** The command that runs `tokend`: its binary, or without one its source. */
export const TOKEND: readonly string[] = isBuilt
  ? [join(root, "dist", "tokend")]
  : [process.execPath, join(root, "server/src/main.ts")];
