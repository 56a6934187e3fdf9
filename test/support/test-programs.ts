import { join } from "node:path";

const root = join(import.meta.dir, "..", "..");

/** Servers that tests change, such as one with a clock of its own. */
const SOURCES = {
  "clocked-tokend": "test/chaos/clocked-tokend.ts",
} as const;

export type TestProgram = keyof typeof SOURCES;

export const TEST_PROGRAMS = Object.keys(SOURCES) as readonly TestProgram[];

/**
 * The folder of `tokend` and `tokenctl` if `bun run test` has compiled all programs: each start then
 * takes half of the time.
 */
export const BUILT = process.env.BINARIES;

export const sourceOf = (program: TestProgram) => join(root, SOURCES[program]);
export const binaryOf = (program: TestProgram) => join(root, "dist", "test", program);

/** @returns the command that runs a program: its binary, or without one its source */
export function testProgram(program: TestProgram): readonly string[] {
  return BUILT ? [binaryOf(program)] : [process.execPath, sourceOf(program)];
}

/** The command that runs `tokend`: its binary, or without one its source. */
export const TOKEND: readonly string[] = BUILT
  ? [join(BUILT, "tokend")]
  : [process.execPath, join(root, "server/src/main.ts")];
