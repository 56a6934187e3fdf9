import { describe } from "bun:test";
import { loadPrograms, programsFolder } from "../../../localnet/programs.ts";

const folder = programsFolder(process.env);
const { programs, missing } = await loadPrograms(folder);

if (missing.length > 0) {
  console.warn(
    `Tests on Meteora's real programs are skipped: ${folder} holds no ${missing.join(", no ")}. ` +
      "Get them with `tokend localnet pull --rpc URL`.",
  );
}

/** Meteora's programs and Token Metadata, as they were pulled from a cluster. */
export const meteoraBinaries = programs;

/** `describe` for tests on the real programs; skips them if this machine has no copies. */
export const describeMeteora = describe.skipIf(missing.length > 0);

/** Time limit of a test or hook on the real programs, for busy machines; alone they take a second. */
export const ON_CHAIN_MS = 60_000;
