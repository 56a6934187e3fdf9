import { formatSol } from "@tokenctl/shared/sol";
import { type Clock, systemClock } from "../base/clock.ts";
import {
  type Config,
  type LimitsConfig,
  readConfig,
  type SolanaChainConfig,
} from "../config/config.ts";
import type { Env } from "../config/kinds.ts";
import { ConfigError, readSettings } from "../config/read-settings.ts";
import type { SettingName } from "../config/settings.ts";
import { outboundProxyNotice, proxyWarning } from "../config/warnings.ts";
import { openRpc } from "../solana/rpc-failover.ts";
import { checkCluster } from "./doctor/cluster.ts";
import { attempt, type Finding, failure, ok, warning } from "./doctor/finding.ts";
import { checkNode, checkNodes } from "./doctor/nodes.ts";
import { checkPublicUrl, checkServer } from "./doctor/reach.ts";
import { checkDataDirectory, checkFolder, checkPostgres } from "./doctor/storage.ts";

const MARKS: Record<Finding["verdict"], string> = {
  ok: "ok  ",
  warning: "warn",
  failure: "FAIL",
  skipped: "skip",
};

/** `tokend doctor`: prints a line for each check, or JSON. The exit code is 1 if a check failed. */
export async function doctor({ json = false }: { readonly json?: boolean } = {}): Promise<void> {
  const findings: Finding[] = [];
  for await (const finding of diagnose(process.env)) {
    findings.push(finding);
    const { verdict, subject, text } = finding;
    if (!json) console.log(`${MARKS[verdict]}  ${subject.padEnd(11)} ${text}`);
  }
  const isOk = findings.every(({ verdict }) => verdict !== "failure");
  if (json) console.log(JSON.stringify({ ok: isOk, findings }, null, 2));
  process.exitCode = isOk ? 0 : 1;
}

/** Runs all checks. If settings are missing or wrong, runs the checks that do not need them. */
export async function* diagnose(env: Env): AsyncGenerator<Finding> {
  if (!env.CHAIN) {
    yield warning(
      "settings",
      `CHAIN is not set: this looks at a SANDBOX in ${env.DATA_DIR || "./data"}, and not at a server on a cluster. Under systemd run tokend-operator doctor, which reads /etc/tokend/tokend.env`,
    );
  }
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    for (const text of error.message.split("\n")) yield failure("settings", text);
    yield* checkWithoutConfig(env);
    return;
  }
  yield* checkAll(config, env);
}

async function* checkWithoutConfig(env: Env): AsyncGenerator<Finding> {
  const read = <Name extends SettingName>(name: Name) => {
    try {
      return readSettings(env, [name])[name];
    } catch {
      return null;
    }
  };
  const dataDir = env.DATABASE_URL ? null : read("DATA_DIR");
  if (dataDir !== null) yield await attempt("DATA_DIR", () => checkFolder(dataDir));
  const urls = env.CHAIN === "solana" ? read("RPC_URL") : null;
  if (urls !== null) {
    using rpc = openRpc(urls);
    yield* checkNodes(rpc.nodes);
    yield* checkNode({ connection: rpc.connect(), bound: null });
  }
  const text =
    "secrets, health, public URL, keypair, launchpad, fees, wallet: once the settings are right";
  yield { verdict: "skipped", subject: "later", text };
}

export async function* checkAll(
  config: Config,
  env: Env,
  clock: Clock = systemClock,
): AsyncGenerator<Finding> {
  yield ok("settings", `CHAIN=${config.chain.chain}, listens on ${config.host}:${config.port}`);
  const viaProxy = outboundProxyNotice(config, env);
  if (viaProxy !== null) yield warning("settings", viaProxy);
  const { databaseUrl } = config;
  if (databaseUrl === null) yield* checkDataDirectory(config);
  else yield* checkPostgres(config, databaseUrl);
  yield* checkServer(config);
  yield* checkPublicUrl(config);
  if (config.chain.chain === "local") {
    yield await attempt("sandbox", async () => {
      await (await import("../localnet/load.ts")).loadEmbeddedChain();
      return ok("sandbox", "its chain can be loaded");
    });
  }
  if (config.chain.chain === "solana") {
    const problem = proxyWarning(config);
    if (problem !== null) yield warning("addresses", problem);
    if (config.chain.launchWallet !== null) yield checkSpending(config.chain, config.limits);
    yield* checkCluster(config, config.chain, clock);
  }
}

function checkSpending(
  { spending: { maxDailySpendLamports } }: SolanaChainConfig,
  { launches: { payers } }: LimitsConfig,
): Finding {
  const what = payers.includes("operator") ? "launches" : "migrations";
  if (maxDailySpendLamports !== null) {
    return ok("spending", `${what} can take at most ${formatSol(maxDailySpendLamports)} SOL a day`);
  }
  return warning(
    "spending",
    `nothing limits what ${what} can take a day (MAX_DAILY_SPEND_SOL=unlimited): set an amount that you can lose in a day`,
  );
}
