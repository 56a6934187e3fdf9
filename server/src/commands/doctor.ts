import { systemClock } from "../base/clock.ts";
import { type Config, readConfig } from "../config/config.ts";
import { misspelt } from "../config/misspelt.ts";
import { checkCluster } from "./doctor/cluster.ts";
import { checkDataDirectory } from "./doctor/data-directory.ts";
import { type Finding, ok, warning } from "./doctor/finding.ts";
import { checkPort } from "./doctor/port.ts";
import { checkPostgres } from "./doctor/postgres.ts";
import { checkPublicUrl } from "./doctor/public-url.ts";
import { checkAddresses, checkSpending } from "./doctor/spending.ts";

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

/** Checks everything that the settings lead to, one thing after another. */
export async function* checkAll(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
): AsyncGenerator<Finding> {
  yield ok("settings", `CHAIN=${config.chain.chain}, listens on ${config.host}:${config.port}`);
  for (const text of misspelt(env)) yield warning("settings", text);
  const { databaseUrl } = config;
  if (databaseUrl === null) yield* checkDataDirectory(config);
  else yield* checkPostgres(config, databaseUrl);
  yield* checkPort(config);
  yield* checkPublicUrl(config);
  if (config.chain.chain === "solana") {
    yield checkAddresses(config);
    if (config.chain.launchWallet !== null) yield checkSpending(config.chain, config.limits);
    yield* checkCluster(config, config.chain, systemClock);
  }
}
