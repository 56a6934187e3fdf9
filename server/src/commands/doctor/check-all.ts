import { systemClock } from "../../clock.ts";
import type { Config } from "../../config.ts";
import { checkCluster } from "./cluster.ts";
import { attempt, type Finding, ok } from "./finding.ts";
import { checkDatabase, checkPublicUrl } from "./host.ts";
import { checkAddresses, checkSpending } from "./spending.ts";

/** Checks everything that the settings lead to, one thing after another. */
export async function* checkAll(config: Config): AsyncGenerator<Finding> {
  yield ok("settings", `CHAIN=${config.chain.chain}, listens on ${config.host}:${config.port}`);
  yield await attempt("database", () => checkDatabase(config));
  yield checkPublicUrl(config);
  if (config.chain.chain === "solana") {
    yield checkAddresses(config);
    yield checkSpending(config.chain, config.limits);
    yield* checkCluster(config.chain, config.publicUrl, systemClock);
  }
}
