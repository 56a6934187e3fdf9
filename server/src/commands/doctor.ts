import { readConfig } from "../config/config.ts";
import { checkAll } from "./doctor/check-all.ts";
import type { Finding } from "./doctor/finding.ts";

const MARKS: Record<Finding["verdict"], string> = { ok: "ok  ", warning: "warn", failure: "FAIL" };

/** `tokend doctor`: a line for each check; the exit code is 1 if one failed. */
export async function doctor(): Promise<void> {
  let failed = false;
  for await (const { verdict, subject, text } of checkAll(readConfig(process.env), process.env)) {
    console.log(`${MARKS[verdict]}  ${subject.padEnd(12)}${text}`);
    failed ||= verdict === "failure";
  }
  process.exitCode = failed ? 1 : 0;
}
