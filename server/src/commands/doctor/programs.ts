import type { Connection } from "@solana/web3.js";
import {
  type CachedProgram,
  METEORA_PROGRAMS,
  programHash,
  readProgram,
} from "../../localnet/programs.ts";
import { type Finding, ok, warning } from "./finding.ts";

const SUBJECT = "programs";

export async function checkPrograms(connection: Connection): Promise<Finding> {
  const others: string[] = [];
  // One after another: together they are several megabytes.
  for (const program of METEORA_PROGRAMS) {
    if (!(await isTested(connection, program))) others.push(program.name);
  }
  if (others.length === 0) return ok(SUBJECT, "are those with which this version was tested");
  return warning(
    SUBJECT,
    `${others.join(", ")}: not the release with which this version was tested. Launches and claims are ` +
      "still simulated before they are signed; look for a newer tokend, and try a launch and a claim.",
  );
}

async function isTested(
  connection: Connection,
  { programId, testedHash }: CachedProgram,
): Promise<boolean> {
  const code = await readProgram(connection, programId);
  return code !== null && programHash(code) === testedHash;
}
