import type { UnreadableFees } from "../pool-program.ts";

/** Asserts that all tokens can be read. @throws {Error} if one cannot */
export function readable<Reading extends object>(
  readings: readonly (Reading | UnreadableFees)[],
): Reading[] {
  return readings.map((read) => {
    if ("unreadable" in read) throw new Error(read.unreadable);
    return read;
  });
}
