import { systemClock } from "../../base/clock.ts";
import type { Config } from "../../config/config.ts";
import { misspelt } from "../../config/misspelt.ts";
import { checkCluster } from "./cluster.ts";
import { checkDataDirectory } from "./data-directory.ts";
import { type Finding, ok, warning } from "./finding.ts";
import { checkPort } from "./port.ts";
import { checkPostgres } from "./postgres.ts";
import { checkPublicUrl } from "./public-url.ts";
import { checkAddresses, checkSpending } from "./spending.ts";

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
    yield checkSpending(config.chain, config.limits);
    yield* checkCluster(config, config.chain, systemClock);
  }
}
