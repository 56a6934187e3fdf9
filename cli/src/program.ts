import { Argument, type Command, Option } from "commander";
import {
  parseAddress,
  parseAmount,
  parseAmountOrOff,
  parseConcurrency,
  parseCount,
  parseDayLimit,
  parseDerivationPath,
  parseLaunch,
  parseLimit,
  parseProfile,
  parseSeconds,
  parseTicker,
  parseTime,
  parseToken,
  parseToolsets,
} from "./arguments.ts";
import { CommandLine } from "./command-line.ts";
import { examples } from "./examples.ts";
import { exitCodeHelp } from "./exit.ts";
import { toolsets } from "./mcp/guards.ts";
import type { Run } from "./run.ts";
import { version } from "./version.ts";
import { addWebhookCommands } from "./webhook-commands.ts";
import type { World } from "./world.ts";

const YES = "ask no question where money is real";

// Over 300 lines: the grammar is one list of commands, and is read as one.
/** The whole grammar. A command's code is loaded when it runs, and not for its `--help`. */
export function createProgram(world: Pick<World, "out" | "err" | "env">, run: Run): Command {
  const program = new CommandLine("tokenctl");
  program
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.out.write(text),
      writeErr: (text) => world.err.write(text),
      // To ask for the terminal's width takes longer than all the rest of `--help`.
      getOutHelpWidth: () => 80,
      getErrHelpWidth: () => 80,
      // The help has no colours, so commander need not remove any.
      getOutHasColors: () => true,
      getErrHasColors: () => true,
    })
    .description("Launch tokens, watch their fees and claim them.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .option("--api-url <url>", "server; default: http://127.0.0.1:8787")
    .option("-k, --keypair <file>", "wallet; default: ~/.config/solana/id.json")
    .option("--profile <name>", "settings of `tokenctl config`", parseProfile)
    .option("--allow-nonce-without-host", "allow a sign-in nonce that names no server")
    .option("--json", "print results, errors and warnings as JSON")
    .option("--quiet", "print no notices, warnings or spinners")
    .configureHelp({
      showGlobalOptions: true,
      // The texts fit 80 columns, and each character takes one: no wrapping saves a tenth of the
      // time of `--help`.
      minWidthToWrap: Number.POSITIVE_INFINITY,
      displayWidth: (text) => text.length,
      // Choices are named in the descriptions.
      optionDescription: ({ description, defaultValue }) =>
        defaultValue === undefined ? description : `${description} (default: ${defaultValue})`,
      argumentDescription: ({ description }) => description,
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
  TOKENCTL_API_URL  the server, unless --api-url is given
  TOKENCTL_KEYPAIR  the wallet, unless --keypair is given
  TOKENCTL_PROFILE  the profile, unless --profile is given
  TOKENCTL_RPC_URL  the Solana node for claim, unless --rpc-url is given
  NO_COLOR          if set, no colours
  TOKENCTL_DEBUG    if set, errors come with a stack trace

${exitCodeHelp}`,
    );

  program
    .command("keygen")
    .description("make or restore a wallet, and write it to a file")
    .option("-o, --outfile <file>", "where to write it; default: the file of --keypair")
    .option("--force", "replace an existing file; its wallet is lost")
    .addOption(
      new Option("--seed-phrase", "make a seed phrase too, and print it").conflicts("restore"),
    )
    .addOption(
      new Option("--words <count>", "of the seed phrase: 12 or 24; default: 12").choices([
        "12",
        "24",
      ]),
    )
    .option("--restore", "ask for a seed phrase, or read it from stdin")
    .option("--passphrase", "ask for the seed phrase's BIP-39 passphrase too")
    .option("--derivation-path [path]", "m/44'/501'/0'/0' if none is given", parseDerivationPath)
    .addHelpText(
      "after",
      examples(
        "tokenctl keygen",
        "tokenctl keygen --outfile agent.json",
        "tokenctl keygen --seed-phrase",
        "tokenctl keygen --restore --derivation-path",
      ),
    )
    .action((options, command: Command) => {
      const { seedPhrase, restore, words, passphrase, derivationPath } = options;
      if (words !== undefined && !seedPhrase) command.error("--words is only for --seed-phrase");
      if ((passphrase || derivationPath !== undefined) && !seedPhrase && !restore) {
        command.error("--passphrase and --derivation-path need --seed-phrase or --restore");
      }
      return run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/keygen.ts")).keygen(context, options),
      );
    });

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
    .command("balance")
    .description("show the SOL of a wallet")
    .argument("[wallet]", "an address; default: that of --keypair", parseAddress)
    .addHelpText(
      "after",
      examples("tokenctl balance", "tokenctl balance $(tokenctl address -k two.json) --json"),
    )
    .action((wallet: string | undefined, _options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/balance.ts")).balance(context, wallet),
      ),
    );

  program
    .command("login")
    .description("check that the wallet can sign in")
    .option("--show-token", "print only the bearer token; it is a secret")
    .addHelpText(
      "after",
      examples(
        "tokenctl login",
        "TOKEN=$(tokenctl login --show-token)",
        'curl -H "Authorization: Bearer $TOKEN" $TOKENCTL_API_URL/api/v1/tokens/',
      ),
    )
    .action((options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/login.ts")).login(context, options),
      ),
    );

  program
    .command("redeem")
    .description("redeem an invite, where a server asks for one")
    .argument("<code>", "the code that the server's operator gave you")
    .addHelpText("after", examples("tokenctl redeem K7QF-2MNP-9XTA-44HW"))
    .action((code: string, _options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/redeem.ts")).redeem(context, code),
      ),
    );

  program
    .command("launch")
    .description("launch a token and wait until it is on chain")
    .option("--name <name>", "1 to 255 characters; a terminal asks for it")
    .option("--on-chain-name <name>", "its name on chain, at most 32 bytes of UTF-8")
    .option("--allow-shortened-name", "cut a longer --name to 32 bytes on chain")
    .option("--ticker <ticker>", "2 to 10 of A-Z and 0-9, not taken yet", parseTicker)
    .option("--description <text>", "at most 1000 characters")
    .option("--image-url <url>", "http, https, ipfs or ar; at most 255 characters")
    .addOption(
      new Option("--image <file>", "upload this PNG, JPEG, WebP or GIF; at most 2 MiB").conflicts(
        "imageUrl",
      ),
    )
    .option("--website <url>", "the token's website, http or https")
    .option("--twitter <url>", "its page on X, such as https://x.com/mytoken")
    .option("--telegram <url>", "its chat, such as https://t.me/mytoken")
    .option("--dry-run", "only say what would become of the launch")
    .option("--yes", YES)
    .option("--no-wait", "return as soon as the launch is accepted")
    .option("--interval <seconds>", "time between checks; default 5, less at first", parseSeconds)
    .option("--idempotency-key <key>", "with the same key, a repeat is the same launch")
    .addHelpText(
      "after",
      examples(
        'tokenctl launch --name "My Token" --ticker MINE --dry-run',
        'tokenctl launch --name "My Token" --ticker MINE',
        'tokenctl launch --name "My Token" --ticker MINE --image logo.png',
        "tokenctl launch --name Mine --ticker MINE --no-wait --json",
      ),
    )
    .action((options, command: Command) =>
      run(command.optsWithGlobals(), async (context) => {
        const { name, onChainName, ticker, description, imageUrl, ...others } = options;
        const { website, twitter, telegram, dryRun, ...flags } = others;
        const fields = { name, onChainName, ticker, description, imageUrl };
        const draft = { ...fields, website, twitter, telegram };
        const { completeRequest } = await import("./commands/launch-request.ts");
        const request = await completeRequest(context, draft, flags);
        return dryRun
          ? (await import("./commands/check-launch.ts")).checkLaunch(context, request, flags)
          : (await import("./commands/launch.ts")).launch(context, request, flags);
      }),
    );

  program
    .command("launches")
    .description("list the wallet's launches, newest first")
    .addOption(
      new Option("--status <status>", "pending, success, failed or rate_limited").choices([
        ...["pending", "success", "failed", "rate_limited"],
      ]),
    )
    .option("--limit <count>", "only the newest", parseLimit)
    .addHelpText("after", examples("tokenctl launches", "tokenctl launches --status pending"))
    .action((options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/launches.ts")).launches(context, options),
      ),
    );

  program
    .command("status")
    .description("show the state of a launch")
    .argument("<launch>", "its ticker or its event id", parseLaunch)
    .option("--wait", "wait until the launch has ended")
    .option("--interval <seconds>", "time between checks; default 5, less at first", parseSeconds)
    .addHelpText(
      "after",
      examples(
        "tokenctl status MINE --wait",
        "tokenctl status 9b2e2c3e-0d4f-4a57-9f0c-5f0d1e2a3b4c --wait",
      ),
    )
    .action((launch: string, options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/status.ts")).status(context, launch, options),
      ),
    );

  program
    .command("retry")
    .description("try a failed or rate_limited launch again")
    .argument("<launch>", "its ticker or its event id", parseLaunch)
    .option("--no-wait", "return as soon as it is in the queue")
    .option("--interval <seconds>", "time between checks; default 5, less at first", parseSeconds)
    .addHelpText(
      "after",
      examples("tokenctl retry MINE", "tokenctl retry 9b2e2c3e-0d4f-4a57-9f0c-5f0d1e2a3b4c"),
    )
    .action((launch: string, options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/retry.ts")).retry(context, launch, options),
      ),
    );

  program
    .command("cancel")
    .description("cancel a launch that is not signed yet")
    .argument("<launch>", "its ticker or its event id", parseLaunch)
    .option("--yes", YES)
    .addHelpText(
      "after",
      examples("tokenctl cancel MINE", "tokenctl cancel 9b2e2c3e-0d4f-4a57-9f0c-5f0d1e2a3b4c"),
    )
    .action((launch: string, options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/cancel.ts")).cancel(context, launch, options),
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
    .argument("<mint>", "the token's ticker or mint address", parseToken)
    .addHelpText("after", examples("tokenctl token MINE"))
    .action((mint: string, _options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/token.ts")).token(context, mint),
      ),
    );

  program
    .command("open")
    .description("open a token's page in the browser")
    .argument("<mint>", "the token's ticker or mint address", parseToken)
    .addHelpText("after", examples("tokenctl open MINE"))
    .action((mint: string, _options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/open.ts")).open(context, mint),
      ),
    );

  program
    .command("fees")
    .description("list what the wallet's tokens have earned")
    .addHelpText("after", examples("tokenctl fees", "tokenctl fees --json"))
    .action((_options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/fees.ts")).fees(context),
      ),
    );

  program
    .command("claim")
    .description("claim the fees of one token, or of all")
    .argument("[mint]", "the token's ticker or mint address", parseToken)
    .option("--all", "claim the fees of every token")
    .option("--min-sol <sol>", "with --all: leave tokens with less", parseAmount)
    .option("--concurrency <n>", "with --all: claims at once; default 1", parseConcurrency)
    .option("--yes", `with --all: ${YES}`)
    .option("--max-total-fee-sol <sol>", "most to pay in fees and rent", parseAmount, "0.02")
    .option("--rpc-url <url>", "Solana node to verify the payment with")
    .option("--sandbox", "the server is a sandbox on another machine")
    .addHelpText(
      "after",
      examples(
        "tokenctl claim MINE",
        "tokenctl claim 7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU",
        "tokenctl claim --all",
        "tokenctl claim --all --min-sol 0.01 --concurrency 4",
        "tokenctl claim --all --rpc-url https://api.mainnet-beta.solana.com",
      ),
    )
    .action((mint: string | undefined, { all, ...flags }, command: Command) => {
      if (all && mint !== undefined) command.error("give either a mint or --all, not both");
      if (!all && (flags.minSol !== undefined || flags.concurrency !== undefined || flags.yes)) {
        command.error("--min-sol, --concurrency and --yes are only for --all");
      }
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
    .command("history")
    .description("list the claims that have paid, newest first")
    .option("--token <mint>", "ticker or mint: only its claims", parseToken)
    .option("--from <time>", "since then: 2026-01-31 or 2026-01-31T09:30Z", parseTime)
    .option("--to <time>", "before then", parseTime)
    .addOption(new Option("--csv", "print CSV, lamports included").conflicts("jsonl"))
    .option("--jsonl", "print a line of JSON for each claim")
    .addHelpText(
      "after",
      examples(
        "tokenctl history --from 2026-01-01 --to 2027-01-01 --csv > claims-2026.csv",
        "tokenctl history --jsonl | jq -r .transactionHash",
      ),
    )
    .action((flags, command: Command) => {
      const options = command.optsWithGlobals();
      // Commander sees no conflict with an option of the program.
      const other = flags.csv ? "--csv" : flags.jsonl ? "--jsonl" : undefined;
      if (options.json && other) {
        command.error(`option '${other}' cannot be used with option '--json'`);
      }
      return run(options, async (context) =>
        (await import("./commands/history.ts")).history(context, flags),
      );
    });

  program
    .command("watch")
    .description("print what happens to launches, claims and tokens")
    .option("--after <id>", "begin after this event; 0 for all that are kept", parseCount)
    .option("--count <n>", "end after so many events", parseCount)
    .option(
      "--fees-above <sol>",
      "tell once a token has so much to claim, or off",
      parseAmountOrOff,
    )
    .addHelpText(
      "after",
      examples(
        "tokenctl watch",
        "tokenctl watch --after 0 --json",
        "tokenctl watch --fees-above 0.5",
      ),
    )
    .action((options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/watch.ts")).watch(context, options),
      ),
    );

  program
    .command("health")
    .description("check that the server works; needs no wallet")
    .addHelpText("after", examples("tokenctl health", "tokenctl health --api-url https://…"))
    .action((_options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/health.ts")).health(context),
      ),
    );

  program
    .command("mcp")
    .description("serve the wallet's tools to a model by MCP")
    .option("--read-only", "offer only what changes nothing")
    .option("--toolsets <names>", `of ${toolsets.join(",")}; default: all`, parseToolsets)
    .option("--max-launches-per-day <n>", "launches in a UTC day", parseDayLimit, 1)
    .option("--allow-mainnet", "allow servers that are no sandbox and no localnet")
    .option("--no-confirm", "launch and claim without asking the client's user")
    .option("--files <dir>", "allow to upload images of this folder")
    .option("--audit-log <file>", "default: ~/.local/state/tokenctl/mcp-audit.jsonl")
    .option("--max-total-fee-sol <sol>", "most to pay for claims in all", parseAmount, "0.02")
    .option("--rpc-url <url>", "Solana node to verify the payment with")
    .option("--sandbox", "the server is a sandbox on another machine")
    .addHelpText(
      "after",
      examples(
        "tokenctl mcp --read-only",
        "tokenctl mcp --toolsets tokens,fees --api-url https://tokens.example",
      ),
    )
    .action(
      (
        {
          readOnly,
          toolsets: chosen,
          maxLaunchesPerDay,
          allowMainnet,
          confirm,
          files,
          maxTotalFeeSol,
          auditLog,
          sandbox,
        },
        command: Command,
      ) =>
        run(command.optsWithGlobals(), async (context) =>
          (await import("./commands/mcp.ts")).mcp(
            context,
            {
              readOnly: readOnly === true,
              toolsets: chosen ?? toolsets,
              maxLaunchesPerDay,
              allowMainnet: allowMainnet === true,
              confirm,
              maxTotalFeeSol,
            },
            { auditLog, files, sandbox },
          ),
        ),
    );

  addWebhookCommands(program, run);
  addConfigCommands(program, run);
  addCompletionCommands(program, world);
  addLicenses(program, world);
  addSandboxCommands(program, run);
  return program;
}

function addConfigCommands(program: Command, run: Run): void {
  const config = program.command("config").description("set profiles up: servers and wallets");
  // The profile need not exist yet.
  const globals = (command: Command) => ({ ...command.optsWithGlobals(), profile: "" });
  const profileOf = (command: Command): string | undefined => command.optsWithGlobals().profile;
  const key = () =>
    new Argument("<key>", "api-url, keypair or rpc-url").choices(["api-url", "keypair", "rpc-url"]);

  config
    .command("list")
    .description("list the profiles; * marks the one in use")
    .addHelpText("after", examples("tokenctl config list"))
    .action((_options, command: Command) =>
      run(globals(command), async (context) =>
        (await import("./commands/config.ts")).configList(context),
      ),
    );

  config
    .command("get")
    .description("show the settings, and where each comes from")
    .addArgument(key().argOptional())
    .addHelpText("after", examples("tokenctl config get", "tokenctl config get api-url --json"))
    .action((name, _options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/config.ts")).configGet(context, command.optsWithGlobals(), name),
      ),
    );

  config
    .command("set")
    .description("set a setting of the profile in use")
    .addArgument(key())
    .argument("<value>", "its value")
    .addHelpText(
      "after",
      examples(
        "tokenctl config set api-url https://tokens.example",
        "tokenctl config set keypair ~/agents/two.json --profile two",
      ),
    )
    .action((name, value: string, _options, command: Command) =>
      run(globals(command), async (context) =>
        (await import("./commands/config.ts")).configSet(context, profileOf(command), name, value),
      ),
    );

  config
    .command("unset")
    .description("remove a setting; a profile ends with its last one")
    .addArgument(key())
    .addHelpText("after", examples("tokenctl config unset rpc-url --profile two"))
    .action((name, _options, command: Command) =>
      run(globals(command), async (context) =>
        (await import("./commands/config.ts")).configUnset(context, profileOf(command), name),
      ),
    );

  config
    .command("use")
    .description("use a profile from now on")
    .argument("<profile>", "its name", parseProfile)
    .addHelpText("after", examples("tokenctl config use two"))
    .action((profile: string, _options, command: Command) =>
      run(globals(command), async (context) =>
        (await import("./commands/config.ts")).configUse(context, profile),
      ),
    );
}

function addCompletionCommands(program: Command, world: Pick<World, "out" | "env">): void {
  program
    .command("completion")
    .description("print the completion script of a shell")
    .addArgument(new Argument("<shell>", "bash, zsh or fish").choices(["bash", "zsh", "fish"]))
    .addHelpText(
      "after",
      `${examples(
        "source <(tokenctl completion bash)    # or add it to ~/.bashrc",
        "source <(tokenctl completion zsh)     # after compinit, in ~/.zshrc",
        "tokenctl completion fish | source     # in ~/.config/fish/config.fish",
      )}`,
    )
    .action((shell: "bash" | "zsh" | "fish") =>
      // The script alone, also with --json: a shell reads it.
      import("./completion-scripts.ts").then(({ scripts }) => world.out.write(scripts[shell])),
    );

  program
    .command("complete", { hidden: true })
    .argument("[words...]")
    .action(async (words: string[]) => {
      const { complete } = await import("./complete.ts");
      await complete(program, words, world);
    });
}

function addLicenses(program: Command, world: Pick<World, "out">): void {
  program
    .command("licenses")
    .description("print the licences of what this program contains")
    .addHelpText("after", examples("tokenctl licenses | less"))
    .action(async (_options, command: Command) => {
      const { licensesOutput } = await import("./commands/licenses.ts");
      world.out.write(licensesOutput(command.optsWithGlobals().json === true));
    });
}

function addSandboxCommands(program: Command, run: Run): void {
  const dev = program.command("dev").description("play the market on a sandbox server");

  dev
    .command("airdrop")
    .description("give a wallet SOL that is worth nothing")
    .argument("[wallet]", "an address; default: that of --keypair", parseAddress)
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
    .argument("<mint>", "the token's ticker or mint address", parseToken)
    .requiredOption("--sol <amount>", "SOL to pay, or with --sell to sell for", parseAmount)
    .option("--sell", "sell instead of buying")
    .addHelpText(
      "after",
      examples("tokenctl dev trade MINE --sol 2.5", "tokenctl dev trade MINE --sol 1 --sell"),
    )
    .action((mint: string, options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/dev/trade.ts")).trade(context, mint, options),
      ),
    );

  dev
    .command("graduate")
    .description("fill a token's curve, so that it moves to the pool")
    .argument("<mint>", "the token's ticker or mint address", parseToken)
    .addHelpText("after", examples("tokenctl dev graduate MINE"))
    .action((mint: string, _options, command: Command) =>
      run(command.optsWithGlobals(), async (context) =>
        (await import("./commands/dev/graduate.ts")).graduate(context, mint),
      ),
    );
}
