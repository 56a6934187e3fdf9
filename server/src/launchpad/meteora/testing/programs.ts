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

/** `describe` for tests that run on the real programs; skipped where they are not on this machine. */
export const describeMeteora = describe.skipIf(missing.length > 0);

/** What a hook that prepares such tests may take: bunfig's limit holds for tests alone. */
export const SETUP_MS = 60_000;
