import { parseSol } from "@tokenctl/shared/sol";
import { Command, InvalidArgumentError, Option } from "commander";
import { VERSION } from "./base/version.ts";
import { addAdminCommands } from "./commands/admin/grammar.ts";
import {
  DEFAULT_CONFIG_TERMS,
  FALL_SHAPES,
  PRESETS,
  TOKEN_STANDARDS,
} from "./launchpad/meteora/config-terms.ts";
import { settingsHelp } from "./root-help.ts";

const KEYPAIR = [
  "--keypair <file>",
  "the wallet that earns; default: LAUNCH_KEYPAIR or LAUNCH_SIGNER",
] as const;

/** Returns the root's `--help`, which `main.ts` contains: loading the grammar takes 20 ms. */
export function rootHelp(): string {
  const help = createProgram().configureHelp({ helpWidth: 80 }).helpInformation();
  return help + settingsHelp();
}

/** Builds the grammar of `tokend`, with the settings in `--help`. Commands load when they run. */
export function createProgram(): Command {
  const program = new Command("tokend")
    .description("Token launch service for autonomous agents on Solana")
    .version(VERSION)
    .addHelpText("after", settingsHelp)
    .showHelpAfterError("(--help shows the commands and options)")
    .showSuggestionAfterError();

  program
    .command("serve")
    .description("run the service (the default); settings come from the environment")
    .option("--paused", "start with launches paused; `tokend admin resume launches` ends that")
    .option("--new-database", "start without a database although there are secrets")
    .action(async (options) => (await import("./commands/serve.ts")).serve(options));

  program
    .command("keygen")
    .description("make a launch wallet and print its address")
    .argument("<file>", "gets its keypair, for LAUNCH_KEYPAIR; must not exist yet")
    .action(async (file) => (await import("./commands/keygen.ts")).keygen(file));

  program
    .command("doctor")
    .description("check the settings and everything they refer to; exit code 1 if something fails")
    .option("--json", 'print {"ok", "findings"}')
    .action(async (options) => (await import("./commands/doctor.ts")).doctor(options));

  program
    .command("healthcheck")
    .description("ask the server on HOST and PORT; exit code 0 if it may get requests, otherwise 1")
    .action(async () => (await import("./commands/healthcheck.ts")).healthcheck());

  program
    .command("backup")
    .description("copy all data in DATA_DIR; the server may keep running")
    .argument("<file>", "the copy; must not exist yet")
    .action(async (file) => (await import("./commands/data.ts")).backup(file));

  program
    .command("restore")
    .description("put a backup into an empty DATA_DIR")
    .argument("<file>", "the file that backup made")
    .action(async (file) => (await import("./commands/data.ts")).restore(file));

  program
    .command("migrate")
    .description("copy all data of a stopped server in DATA_DIR to an empty PostgreSQL database")
    .requiredOption(
      "--to <url>",
      "postgres://USER@HOST:5432/DATABASE; PGPASSWORD may hold the password",
    )
    .action(async (options) => (await import("./commands/data.ts")).migrate(options));

  const metadata = program.command("metadata").description("manage the metadata of tokens");
  metadata
    .command("export")
    .description("write all metadata documents and images as static files; the server may run")
    .argument("<folder>", "gets metadata/ and images/")
    .action(async (folder) => (await import("./commands/data.ts")).metadataExport(folder));
  metadata
    .command("pin")
    .description("upload all metadata documents and images to IPFS; the server may run")
    .argument(
      "<url>",
      "Kubo, or a pinning service with its RPC; PIN_TOKEN may hold its token",
      httpUrl,
    )
    .action(async (url) => (await import("./commands/data.ts")).metadataPin(url));

  const { feeBps, creatorShare, initialMarketCap, migrationMarketCap, tokenStandard } =
    DEFAULT_CONFIG_TERMS;
  const config = program
    .command("config")
    .description("manage the on-chain config that tokens are launched under");
  config
    .command("show")
    .description("say in words what a config on chain says; needs RPC_URL")
    .argument("[address]", "the config; by default DBC_CONFIG")
    .option("--json", "print JSON")
    .action(async (address, { json = false }) =>
      (await import("./commands/config-create.ts")).configShow(address, json),
    );
  config
    .command("create")
    .description("make a config of Meteora's Dynamic Bonding Curve; needs RPC_URL and a wallet")
    .option(...KEYPAIR)
    .addOption(
      new Option("--preset <name>", "what it does about those who buy in the first seconds")
        .choices(Object.keys(PRESETS))
        .default("plain"),
    )
    .option("--fee-bps <bps>", "fee of each trade in hundredths of a percent", number, feeBps)
    .option(
      "--start-fee-bps <bps>",
      "fee of a new token's first trades; 0: it does not fall",
      number,
    )
    .option("--fall-seconds <seconds>", "seconds within which it falls to --fee-bps", number)
    .addOption(new Option("--fall-shape <shape>", "evenly, or fast at first").choices(FALL_SHAPES))
    .option("--dynamic-fee", "a price that moves adds up to a fifth of --fee-bps")
    .option("--no-dynamic-fee")
    .option("--first-buy-at-lowest-fee", "an agent's buy in its own launch pays --fee-bps")
    .option("--no-first-buy-at-lowest-fee")
    .option("--vesting-share <percent>", "liquidity that the agent can withdraw over time", number)
    .option("--vesting-days <days>", "days until it can withdraw all of that", number)
    .option("--creator-share <percent>", "the agent's share of the fees", number, creatorShare)
    .option(
      "--initial-market-cap <sol>",
      "value of all tokens at first, in SOL",
      number,
      initialMarketCap,
    )
    .option(
      "--migration-market-cap <sol>",
      "value at which they leave the curve",
      number,
      migrationMarketCap,
    )
    .addOption(
      new Option("--token-standard <standard>", "token program that holds the tokens")
        .choices(TOKEN_STANDARDS)
        .default(tokenStandard),
    )
    .addOption(
      new Option(
        "--creation-fee-sol <sol>",
        "what each launch pays for its pool, 90 % of it to you",
      )
        .argParser(sol)
        .default(0n, "0"),
    )
    .option("--dry-run", "explain and simulate it, and send nothing")
    .option("--yes", "do not ask in a terminal")
    .option("--json", 'print {"config", "signature"}')
    .action(async (options) => (await import("./commands/config-create.ts")).configCreate(options));

  program
    .command("revenue")
    .description("show what the launch wallet has earned from tokens; the server may run")
    .option(...KEYPAIR)
    .option("--json", "print JSON; lamports are decimal texts")
    .action(async (options) => (await import("./commands/revenue.ts")).revenue(options));

  program
    .command("collect")
    .description("take what the launch wallet has earned from tokens; the server may run")
    .option(...KEYPAIR)
    .option("--json", "print JSON; lamports are decimal texts")
    .action(async (options) => (await import("./commands/collect.ts")).collect(options));

  const localnet = program
    .command("localnet")
    .description("serve the embedded chain's JSON-RPC with the programs of a real cluster")
    .option("--port <port>", "port to listen on", port, 8899)
    .option("--host <address>", "any client that can connect controls the chain", "127.0.0.1")
    .option("--ledger <folder>", "where to keep the chain; otherwise it is lost at exit")
    .option("--programs <folder>", "folder of the program binaries")
    .action(async (options) => (await localnetCommands()).localnet(options));
  localnet
    .command("pull")
    .description("download the programs from a cluster")
    .requiredOption("--rpc <url>", "the cluster's JSON-RPC URL", httpUrl)
    .option("--programs <folder>", "folder for the program binaries")
    .action(async (_, self) => (await localnetCommands()).localnetPull(self.optsWithGlobals()));
  localnet
    .command("accounts")
    .description("write what Meteora has on clusters as files for solana-test-validator")
    .argument("<folder>", "gets a JSON file for each account")
    .option("--programs <folder>", "folder of the program binaries")
    .action(async (folder, _, self) =>
      (await localnetCommands()).localnetAccounts(folder, self.optsWithGlobals()),
    );

  addAdminCommands(program);

  program
    .command("licenses")
    .description("print the licences of what this program contains")
    .action(async () => {
      const { licenseText } = await import("@tokenctl/shared/license-text");
      const { licenses } = await import("@tokenctl/shared/licenses");
      console.log(licenseText(licenses));
    });
  return program;
}

/** Loads the chain first, because its error names the cause if it cannot be loaded. */
async function localnetCommands() {
  await (await import("./localnet/load.ts")).loadEmbeddedChain();
  return import("./commands/localnet.ts");
}

function sol(text: string): bigint {
  try {
    return parseSol(text);
  } catch {
    throw new InvalidArgumentError("It is not an amount of SOL, written as 1 or 0.25.");
  }
}

function httpUrl(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? "")) return text;
  throw new InvalidArgumentError("It is not an http or https URL.");
}

function port(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65535) return Number(text);
  throw new InvalidArgumentError("It is not a whole number from 0 to 65535.");
}

function number(text: string): number {
  if (text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  throw new InvalidArgumentError("It is not a number.");
}
