import { describe } from "bun:test";
import { loadPrograms, programsFolder } from "../../../localnet/programs.ts";
import { noteMissing } from "../../../testing/find-program.ts";

const { programs, missing } = loadPrograms(programsFolder(process.env));

if (missing.length > 0) noteMissing("Meteora's programs");

/** Meteora's programs and Token Metadata, as they were pulled from a cluster. */
export const meteoraBinaries = programs;

/** `describe` for tests on the real programs; skips them if this machine has no copies. */
export const describeMeteora = describe.skipIf(missing.length > 0);

/** Time limit of a test or hook on the real programs, for busy machines; alone they take a second. */
export const ON_CHAIN_MS = 300_000;
