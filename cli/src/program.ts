import type { Command } from "commander";
import { parseAddress, parseAmount, parseEventId, parseSeconds } from "./arguments.ts";
import { CommandLine } from "./command-line.ts";
import type { Context } from "./context.ts";
import { exitCodeHelp } from "./exit.ts";
import type { Result } from "./result.ts";
import type { GlobalOptions } from "./settings.ts";
import { version } from "./version.ts";
import type { World } from "./world.ts";

/** Carries a command out: prepares its context, prints its result. */
export type Run = (
  options: GlobalOptions,
  action: (context: Context) => Promise<Result>,
) => Promise<void>;

/** The whole grammar. What a command does is loaded when it is run, and not for its `--help`. */
export function createProgram(world: Pick<World, "out" | "err">, run: Run): Command {
  const program = new CommandLine("tokenctl");
  program
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.out.write(text),
      writeErr: (text) => world.err.write(text),
      // Asking how wide the terminal is takes longer than all the rest of `--help`.
      getOutHelpWidth: () => 80,
      getErrHelpWidth: () => 80,
      // There are no colours in it, so that none need to be taken out.
      getOutHasColors: () => true,
      getErrHasColors: () => true,
    })
    .description("Launch tokens, watch their fees and claim them.")
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "print help")
    .option("--api-url <url>", "server; default: http://127.0.0.1:8787")
    .option("-k, --keypair <file>", "wallet; default: ~/.config/solana/id.json")
    .option("--allow-nonce-without-host", "sign in though a server's nonce names none")
    .option("--json", "print JSON, errors and warnings on stderr too")
    .option("--quiet", "print no notices, warnings and spinners")
    .configureHelp({
      showGlobalOptions: true,
      // The texts are written to fit 80 columns, and hold nothing that has another width than its
      // length: laying them out plainly spares `--help` a tenth of its time.
      minWidthToWrap: Number.POSITIVE_INFINITY,
      displayWidth: (text) => text.length,
    })
    .addHelpText(
      "after",
      examples(
        "tokenctl keygen",
        'tokenctl launch --name "My Token" --ticker MINE',
        "tokenctl fees",
        "tokenctl claim --all",
      ),
    )
    .addHelpText(
      "after",
      `
Environment:
  TOKENCTL_API_URL  in place of --api-url
  TOKENCTL_KEYPAIR  in place of --keypair
  TOKENCTL_RPC_URL  in place of claim's --rpc-url
  NO_COLOR          no colours
  TOKENCTL_DEBUG    errors come with their stack

${exitCodeHelp}`,
    );

  program
    .command("keygen")
    .description("make a wallet: a new keypair file")
    .option("-o, --outfile <file>", "where to write it; default: where --keypair points")
    .option("--force", "replace a file that is there: its wallet is lost")
    .addHelpText("after", examples("tokenctl keygen", "tokenctl keygen --outfile agent.json"))
    .action((options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/keygen.ts")).keygen(context, options),
      ),
    );

  program
    .command("address")
    .description("print the wallet's address")
    .addHelpText("after", examples("tokenctl address", "tokenctl address -k agent.json"))
    .action((_options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/address.ts")).address(context),
      ),
    );

  program
    .command("login")
    .description("sign in once, to see whether it works")
    .option("--show-token", "print the bearer token, which is a secret, alone")
    .addHelpText(
      "after",
      examples(
        "tokenctl login",
        'curl -H "Authorization: Bearer $(tokenctl login --show-token)" http://127.0.0.1:8787/api/v1/tokens/',
      ),
    )
    .action((options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/login.ts")).login(context, options),
      ),
    );

  program
    .command("launch")
    .description("launch a token and wait until it is on chain")
    .requiredOption("--name <name>", "1 to 255 characters")
    .requiredOption("--ticker <ticker>", "2 to 10 of A-Z and 0-9; no other token's")
    .option("--description <text>", "at most 1000 characters")
    .option("--image-url <url>", "at most 255 characters; http, https, ipfs or ar")
    .option("--no-wait", "return as soon as the launch is accepted")
    .option("--interval <seconds>", "how often to look; default 5, sooner at first", parseSeconds)
    .option("--idempotency-key <key>", "the same key is the same launch")
    .addHelpText(
      "after",
      examples(
        'tokenctl launch --name "My Token" --ticker MINE',
        "tokenctl launch --name Mine --ticker MINE --image-url ipfs://bafy… --no-wait --json",
      ),
    )
    .action(({ name, ticker, description, imageUrl, ...flags }, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/launch.ts")).launch(
          context,
          { name, ticker, description, imageUrl },
          flags,
        ),
      ),
    );

  program
    .command("status")
    .description("show where a launch stands")
    .argument("<eventId>", "what launch printed", parseEventId)
    .option("--wait", "wait until it has ended")
    .option("--interval <seconds>", "how often to look; default 5, sooner at first", parseSeconds)
    .addHelpText("after", examples("tokenctl status 9b2e2c3e-0d4f-4a57-9f0c-5f0d1e2a3b4c --wait"))
    .action((eventId: string, options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/status.ts")).status(context, eventId, options),
      ),
    );

  program
    .command("retry")
    .description("try a failed or rate_limited launch again")
    .argument("<eventId>", "what launch printed", parseEventId)
    .option("--no-wait", "return as soon as it is in the queue")
    .option("--interval <seconds>", "how often to look; default 5, sooner at first", parseSeconds)
    .addHelpText("after", examples("tokenctl retry 9b2e2c3e-0d4f-4a57-9f0c-5f0d1e2a3b4c"))
    .action((eventId: string, options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/retry.ts")).retry(context, eventId, options),
      ),
    );

  program
    .command("tokens")
    .description("list the wallet's tokens, newest first")
    .addHelpText("after", examples("tokenctl tokens", "tokenctl tokens --json | jq '.tokens[0]'"))
    .action((_options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/tokens.ts")).tokens(context),
      ),
    );

  program
    .command("token")
    .description("show one of the wallet's tokens")
    .argument("<mint>", "the token's mint address", parseAddress)
    .addHelpText("after", examples("tokenctl token 7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU"))
    .action((mint: string, _options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/token.ts")).token(context, mint),
      ),
    );

  program
    .command("fees")
    .description("list the fees of the wallet's tokens")
    .addHelpText("after", examples("tokenctl fees", "tokenctl fees --json"))
    .action((_options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/fees.ts")).fees(context),
      ),
    );

  program
    .command("claim")
    .description("claim the fees of a token, or of all")
    .argument("[mint]", "the token's mint address", parseAddress)
    .option("--all", "claim everything that can be claimed")
    .option("--max-total-fee-sol <sol>", "most to pay in fees and rent", parseAmount, "0.02")
    .option("--rpc-url <url>", "a Solana node, to verify what a claim pays")
    .option("--sandbox", "the server is a sandbox, though elsewhere")
    .addHelpText(
      "after",
      examples(
        "tokenctl claim 7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU",
        "tokenctl claim --all",
      ),
    )
    .action((mint: string | undefined, { all, ...flags }, command: Command) => {
      if (all && mint !== undefined) command.error("give either a mint or --all, not both");
      const options = command.optsWithGlobals();
      if (mint !== undefined) {
        return run(options, async (context) =>
          (await import("./commands/claim.ts")).claim(context, mint, flags),
        );
      }
      if (!all) command.error("missing argument 'mint', or --all for every token");
      return run(options, async (context) =>
        (await import("./commands/claim-all.ts")).claimAll(context, flags),
      );
    });

  program
    .command("health")
    .description("ask the server how it is; needs no wallet")
    .addHelpText("after", examples("tokenctl health", "tokenctl health --api-url https://…"))
    .action((_options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/health.ts")).health(context),
      ),
    );

  addSandboxCommands(program, run);
  return program;
}

function addSandboxCommands(program: Command, run: Run): void {
  const dev = program.command("dev").description("play the market on a sandbox server");

  dev
    .command("airdrop")
    .description("give a wallet SOL out of nowhere")
    .argument("[wallet]", "an address; default: the keypair file's", parseAddress)
    .option("--sol <amount>", "how much", parseAmount, "1")
    .addHelpText("after", examples("tokenctl dev airdrop", "tokenctl dev airdrop --sol 10"))
    .action((wallet: string | undefined, options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/dev/airdrop.ts")).airdrop(context, wallet, options),
      ),
    );

  dev
    .command("trade")
    .description("buy or sell a token, which earns its agent fees")
    .argument("<mint>", "the token's mint address", parseAddress)
    .requiredOption("--sol <amount>", "what to pay, or with --sell what to sell for", parseAmount)
    .option("--sell", "sell instead of buying")
    .addHelpText(
      "after",
      examples("tokenctl dev trade 7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU --sol 2.5"),
    )
    .action((mint: string, options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/dev/trade.ts")).trade(context, mint, options),
      ),
    );

  dev
    .command("graduate")
    .description("fill a token's curve, so that it migrates")
    .argument("<mint>", "the token's mint address", parseAddress)
    .addHelpText(
      "after",
      examples("tokenctl dev graduate 7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU"),
    )
    .action((mint: string, _options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/dev/graduate.ts")).graduate(context, mint),
      ),
    );
}

function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join("\n")}`;
}
