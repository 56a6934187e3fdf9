import { Command, InvalidArgumentError } from "commander";
import { VERSION } from "./base/version.ts";

/** The grammar of `tokend`; each command is loaded when it runs. */
export function createProgram(): Command {
  const program = new Command("tokend")
    .description("Token launch service for autonomous agents on Solana")
    .version(VERSION)
    .showHelpAfterError("(add --help for what there is)")
    .showSuggestionAfterError();

  program
    .command("serve", { isDefault: true })
    .description("run the service (the default); settings come from the environment")
    .action(async () => (await import("./commands/serve.ts")).serve());

  program
    .command("doctor")
    .description(
      "check the settings and everything they lead to; ends with 1 where something fails",
    )
    .action(async () => (await import("./commands/doctor.ts")).doctor());

  program
    .command("backup")
    .description("copy all that the server keeps in DATA_DIR, while it runs")
    .argument("<file>", "where to; must not exist yet")
    .action(async (file) => (await import("./commands/backup.ts")).backup(file));

  program
    .command("restore")
    .description("put a backup into a DATA_DIR that is empty")
    .argument("<file>", "what backup made")
    .action(async (file) => (await import("./commands/restore.ts")).restore(file));

  program
    .command("config")
    .description("the on-chain config under which tokens are launched")
    .command("create")
    .description("make a config of Meteora's Dynamic Bonding Curve; needs RPC_URL, LAUNCH_KEYPAIR")
    .option("--fee-bps <bps>", "fee of each trade in hundredths of a percent", number, 100)
    .option("--creator-share <percent>", "the agent's share of the fees", number, 100)
    .option("--initial-market-cap <sol>", "worth of all tokens at first, in SOL", number, 30)
    .option("--migration-market-cap <sol>", "worth at which they leave the curve", number, 300)
    .option("--json", 'print {"config", "signature"}')
    .action(async (options) => (await import("./commands/config-create.ts")).configCreate(options));

  const localnet = program
    .command("localnet")
    .description("serve the embedded chain's JSON-RPC with the programs of a real cluster")
    .option("--port <port>", "where to listen", number, 8899)
    .option("--host <address>", "whoever reaches it can take everything on it", "127.0.0.1")
    .option("--ledger <folder>", "keep the chain there; without it, it ends with the process")
    .option("--programs <folder>", "where the program binaries are")
    .action(async (options) => (await import("./commands/localnet.ts")).localnet(options));
  localnet
    .command("pull")
    .description("download the programs from a cluster")
    .requiredOption("--rpc <url>", "JSON-RPC of the cluster")
    .option("--programs <folder>", "where to put the program binaries")
    .action(async (options) => (await import("./commands/localnet.ts")).localnetPull(options));

  return program;
}

function number(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value))
    throw new InvalidArgumentError("It is no number.");
  return value;
}
