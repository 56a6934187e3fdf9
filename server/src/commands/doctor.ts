import { formatSol } from "@tokenctl/shared/sol";
import { type Clock, systemClock } from "../base/clock.ts";
import {
  type Config,
  type LimitsConfig,
  readConfig,
  type SolanaChainConfig,
} from "../config/config.ts";
import { misspelt } from "../config/read-settings.ts";
import { outboundProxyNotice, proxyWarning } from "../config/warnings.ts";
import { checkCluster } from "./doctor/cluster.ts";
import { checkDataDirectory } from "./doctor/data-directory.ts";
import { attempt, type Finding, ok, warning } from "./doctor/finding.ts";
import { checkPort } from "./doctor/port.ts";
import { checkPostgres } from "./doctor/postgres.ts";
import { checkPublicUrl } from "./doctor/public-url.ts";

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

export async function* checkAll(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
  clock: Clock = systemClock,
): AsyncGenerator<Finding> {
  yield ok("settings", `CHAIN=${config.chain.chain}, listens on ${config.host}:${config.port}`);
  for (const text of misspelt(env)) yield warning("settings", text);
  const viaProxy = outboundProxyNotice(config, env);
  if (viaProxy !== null) yield warning("settings", viaProxy);
  const { databaseUrl } = config;
  if (databaseUrl === null) yield* checkDataDirectory(config);
  else yield* checkPostgres(config, databaseUrl);
  yield* await checkPort(config);
  yield* await checkPublicUrl(config);
  if (config.chain.chain === "local") yield await attempt("sandbox", checkEmbeddedChain);
  if (config.chain.chain === "solana") {
    yield checkAddresses(config);
    if (config.chain.launchWallet !== null) yield checkSpending(config.chain, config.limits);
    yield* checkCluster(config, config.chain, clock);
  }
}

async function checkEmbeddedChain(): Promise<Finding> {
  const { loadEmbeddedChain } = await import("../localnet/load.ts");
  await loadEmbeddedChain();
  return ok("sandbox", "its chain can be loaded");
}

export function checkSpending(
  { spending: { maxDailySpendLamports } }: SolanaChainConfig,
  { launches: { maxOfAddress, payers } }: LimitsConfig,
): Finding {
  if (maxDailySpendLamports !== null) {
    const sol = formatSol(maxDailySpendLamports);
    const what = payers.includes("operator") ? "launches" : "migrations";
    return ok("spending", `${what} can take at most ${sol} SOL a day`);
  }
  if (!payers.includes("operator")) {
    return warning(
      "spending",
      "nothing limits what migrations can take a day (MAX_DAILY_SPEND_SOL=unlimited)",
    );
  }
  const address = Number.isFinite(maxOfAddress)
    ? `a network address ${maxOfAddress} launches (MAX_LAUNCHES_PER_ADDRESS)`
    : "a network address any number (MAX_LAUNCHES_PER_ADDRESS=0)";
  return warning(
    "spending",
    `nothing limits what launches can take a day (MAX_DAILY_SPEND_SOL=unlimited): a wallet gets one token a day and ${address}, but anyone can have many of both. Set an amount that you can lose in a day`,
  );
}

export function checkAddresses(config: Config): Finding {
  const problem = proxyWarning(config);
  if (problem !== null) return warning("addresses", problem);
  const source = config.limits.trustProxy ? "X-Forwarded-For" : "the connection";
  return ok("addresses", `a client's network address is the one of ${source}`);
}
