import { LAUNCH_STATUSES } from "@tokenctl/shared/words";
import { Argument, Option } from "commander";
import * as parse from "./arguments.ts";
import { CommandLine, commandsOf, type Run } from "./command-line.ts";
import { exitCodeHelp } from "./errors.ts";
import { toolsets } from "./mcp/guards.ts";
import { version } from "./version.ts";
import type { World } from "./world.ts";

const LAUNCH = ["<launch>", "its ticker or its event id", parse.launch] as const;
const TOKEN = "the token's ticker or mint address";
const MINT = ["<mint>", TOKEN, parse.token] as const;
const WALLET = ["[wallet]", "an address; default: that of --keypair", parse.address] as const;
const WEBHOOK = ["<id>", "the webhook's id", parse.webhookId] as const;
const YES = "do not ask for confirmation";
const EVERY = "time between checks; default: 5";
const INTERVAL = ["--interval <seconds>", EVERY, parse.seconds] as const;
const RPC_URL = ["--rpc-url <url>", "Solana node that verifies payments"] as const;
const SANDBOX = ["--sandbox", "the server is a sandbox on another machine"] as const;
/** Of a launch or a webhook. */
const ID = "9b2e2c3e-0d4f-4a57-9f0c-5f0d1e2a3b4c";

const ADDRESS = "5oWZRuEhZZRLqpfGVuKGnQWHMuDvv3HaMU4orwe8yAq1";

const claim = () => import("./commands/claim.ts");
const config = () => import("./commands/config.ts");
const dev = () => import("./commands/dev.ts");
const handOver = async () => {
  const { accept, decline, handOver } = await import("./commands/hand-over.ts");
  return { accept, decline, "hand-over": handOver };
};
const launches = () => import("./commands/launches.ts");
const session = () => import("./commands/session.ts");
const tokens = () => import("./commands/tokens.ts");
const wallet = () => import("./commands/wallet.ts");
const webhooks = () => import("./commands/webhooks.ts");

// Over 300 lines: the grammar is one list of commands.
/** The whole grammar. A command's code is loaded when it runs, not for its `--help`. */
export function createProgram(world: Pick<World, "out" | "err" | "env">, run: Run): CommandLine {
  const program = newProgram(world);
  const command = commandsOf(program, run);

  command("keygen", "make or restore a wallet and write it to a file", wallet)
    .option("-o, --outfile <file>", "file to write; default: that of --keypair")
    .option("--force", "replace an existing file, which loses its wallet")
    .addOption(
      new Option("--seed-phrase", "also make a seed phrase and print it").conflicts("restore"),
    )
    .addOption(choice("--words <count>", "of the seed phrase: 12 or 24; default: 12", "12", "24"))
    .option("--restore", "ask for a seed phrase, or read it from stdin")
    .option("--passphrase", "also ask for the seed phrase's BIP-39 passphrase")
    .option(
      "--derivation-path [path]",
      "derive by this path, or by m/44'/501'/0'/0'",
      parse.derivationPath,
    )
    .unless(({ seedPhrase, restore, words, passphrase, derivationPath }) => {
      if (words !== undefined && !seedPhrase) return "--words is only for --seed-phrase";
      const isOfPhrase = passphrase || derivationPath !== undefined;
      return (
        isOfPhrase &&
        !(seedPhrase || restore) &&
        "--passphrase and --derivation-path need --seed-phrase or --restore"
      );
    })
    .examples(
      "tokenctl keygen --outfile agent.json",
      "tokenctl keygen --restore --derivation-path",
    );

  command("address", "print the wallet's address", wallet).examples(
    "tokenctl address -k agent.json",
  );

  command("balance", "show the SOL of a wallet", wallet)
    .argument(...WALLET)
    .examples("tokenctl balance", "tokenctl balance $(tokenctl address -k two.json) --json");

  command("login", "check that the wallet can sign in", session)
    .option("--show-token", "print only the bearer token; it is a secret")
    .examples(
      "TOKEN=$(tokenctl login --show-token)",
      'curl -H "Authorization: Bearer $TOKEN" $TOKENCTL_API_URL/api/v1/tokens/',
    );

  command("redeem", "redeem an invite, if the server requires one", session)
    .argument("<code>", "the code from the server's operator")
    .examples("tokenctl redeem K7QF-2MNP-9XTA-44HW");

  command(
    "launch",
    "launch a token and wait until it is on chain",
    () => import("./commands/launch.ts"),
  )
    .option("--name <name>", "1 to 255 characters; asked for at a terminal")
    .option("--on-chain-name <name>", "its name on chain, at most 32 bytes of UTF-8")
    .option("--allow-shortened-name", "cut a longer --name to 32 bytes on chain")
    .option("--ticker <ticker>", "2 to 10 characters of A-Z and 0-9, unique", parse.ticker)
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
    .option("--pay", "pay for the launch with this wallet")
    .option("--first-buy <sol>", "with --pay: buy for this much SOL", parse.amount)
    .option("--first-buy-min <tokens>", "with --first-buy: the least whole tokens to get")
    .option("--max-cost-sol <sol>", "with --pay: the most that it may cost", parse.amount)
    .option("--rpc-url <url>", "with --pay: Solana node that verifies the cost")
    .option("--dry-run", "only show how the launch would end")
    .option("--yes", YES)
    .option("--no-wait", "return as soon as the launch is accepted")
    .option(...INTERVAL)
    .option("--idempotency-key <key>", "a repeat with the same key is the same launch")
    .examples(
      'tokenctl launch --name "My Token" --ticker MINE --dry-run',
      'tokenctl launch --name "My Token" --ticker MINE',
      'tokenctl launch --name "My Token" --ticker MINE --image logo.png',
      'tokenctl launch --name "My Token" --ticker MINE --pay --first-buy 0.1',
      "tokenctl launch --name Mine --ticker MINE --no-wait --json",
    );

  command("launches", "list the wallet's launches, newest first", launches)
    .addOption(
      choice("--status <status>", "pending, success, failed or rate_limited", ...LAUNCH_STATUSES),
    )
    .option("--limit <count>", "maximum number of launches", parse.limit)
    .examples("tokenctl launches --status pending");

  command("status", "show the state of a launch", launches)
    .argument(...LAUNCH)
    .option("--wait", "wait until the launch has ended")
    .option(...INTERVAL)
    .examples("tokenctl status MINE --wait", `tokenctl status ${ID} --wait`);

  command("retry", "try a failed or rate_limited launch again", launches)
    .argument(...LAUNCH)
    .option("--no-wait", "return as soon as it is in the queue")
    .option(...INTERVAL)
    .examples("tokenctl retry MINE", `tokenctl retry ${ID}`);

  command("cancel", "cancel a launch that is not signed yet", launches)
    .argument(...LAUNCH)
    .option("--yes", YES)
    .examples("tokenctl cancel MINE", `tokenctl cancel ${ID}`);

  command("tokens", "list the wallet's tokens, newest first", tokens).examples(
    "tokenctl tokens",
    "tokenctl tokens --json | jq '.tokens[0]'",
  );

  command("token", "show one of the wallet's tokens", tokens)
    .argument(...MINT)
    .examples("tokenctl token MINE");

  command("open", "open a token's page in the browser", tokens)
    .argument(...MINT)
    .examples("tokenctl open MINE");

  command("fees", "list what the wallet's tokens have earned", claim).examples("tokenctl fees");

  command("claim", "claim the fees of one token, or of all", claim)
    .argument("[mint]", TOKEN, parse.token)
    .option("--all", "claim the fees of every token")
    .option("--to <wallet>", "pay this wallet, or several: <wallet>=70", parse.texts)
    .option("--force", "pay also an address that no key can sign for")
    .option("--min-sol <sol>", "with --all: skip tokens with less", parse.amount)
    .option("--concurrency <n>", "with --all: claims in parallel; default: 1", parse.concurrency)
    .option("--yes", `with --all: ${YES}`)
    .option("--max-total-fee-sol <sol>", "maximum network fees and rent", parse.amount, "0.02")
    .option(...RPC_URL)
    .option(...SANDBOX)
    .unless((mint: unknown, { all, minSol, concurrency, yes }) => {
      if (all) return mint !== undefined && "give either a mint or --all, not both";
      if (minSol !== undefined || concurrency !== undefined || yes) {
        return "--min-sol, --concurrency and --yes are only for --all";
      }
      return mint === undefined && "missing argument 'mint', or --all for every token";
    })
    .examples(
      "tokenctl claim MINE",
      "tokenctl claim --all --min-sol 0.01 --concurrency 4",
      'tokenctl claim MINE --to "$VAULT=70" --to "$PARTNER=30"',
      "tokenctl claim --all --rpc-url https://api.mainnet-beta.solana.com",
    );

  command("hand-over", "give a token's fees to another wallet", handOver)
    .argument(...MINT)
    .requiredOption("--to <address>", "the wallet that gets them", parse.address)
    .option("--leave-fees", "do not claim the open fees first")
    .option("--force", "allow an address that is not a wallet")
    .option("--yes", YES)
    .option(...RPC_URL)
    .option(...SANDBOX)
    .examples(`tokenctl hand-over MINE --to ${ADDRESS}`);

  command("accept", "accept a token that was handed over to the wallet", handOver)
    .argument("[mint]", "the token's mint address", parse.address)
    .option("--list", "list the tokens that wait to be accepted")
    .unless((mint: unknown, { list }) => {
      if (list) return mint !== undefined && "give either a mint or --list, not both";
      return mint === undefined && "missing argument 'mint', or --list for those that wait";
    })
    .examples("tokenctl accept --list", 'tokenctl accept "$MINT"');

  command("decline", "decline a token that was handed over to the wallet", handOver)
    .argument("[mint]", "the token's mint address", parse.address)
    .option("--all", "decline every token that waits to be accepted")
    .unless((mint: unknown, { all }) => {
      if (all) return mint !== undefined && "give either a mint or --all, not both";
      return mint === undefined && "missing argument 'mint', or --all for every token that waits";
    })
    .examples('tokenctl decline "$MINT"', "tokenctl decline --all");

  command("verify", "show what the chain says of a token", () => import("./commands/verify.ts"))
    .argument("<mint>", "the token's mint address", parse.address)
    .option("--rpc-url <url>", "Solana node to ask")
    .option("--creator <address>", "fail unless this wallet is the creator", parse.address)
    .option("--config <address>", "fail unless it was launched under this", parse.address)
    .option("--pool <address>", "its pool, if the node searches no accounts", parse.address)
    .examples('tokenctl verify "$MINT" --rpc-url https://api.mainnet-beta.solana.com');

  command(
    "explain",
    "say what a transaction does, by its bytes alone",
    () => import("./commands/explain.ts"),
  )
    .argument("<file>", "in base64, base58 or bytes; - is stdin")
    .examples("tokenctl explain claim.txt", "tokenctl explain - < claim.txt");

  const history: CommandLine = command(
    "history",
    "list paid claims, newest first",
    () => import("./commands/history.ts"),
  )
    .option("--token <mint>", "only the claims of this ticker or mint", parse.token)
    .option("--from <time>", "from this time: 2026-01-31 or 2026-01-31T09:30Z", parse.time)
    .option("--to <time>", "before this time", parse.time)
    .addOption(new Option("--csv", "print CSV, including lamports").conflicts("jsonl"))
    .option("--jsonl", "print one line of JSON per claim")
    .unless(({ csv, jsonl }) => {
      // Commander does not check conflicts with options of the program.
      const other = csv ? "--csv" : jsonl ? "--jsonl" : undefined;
      const isJson = other !== undefined && history.optsWithGlobals().json;
      return isJson && `option '${other}' cannot be used with option '--json'`;
    })
    .examples(
      "tokenctl history --from 2026-01-01 --to 2027-01-01 --csv > claims-2026.csv",
      "tokenctl history --jsonl | jq -r .transactionHash",
    );

  command(
    "watch",
    "print events of launches, claims and tokens",
    () => import("./commands/watch.ts"),
  )
    .option("--after <id>", "start after this event; 0 for all stored events", parse.count)
    .option("--count <n>", "stop after this many events", parse.count)
    .option("--fees-above <sol>", "report a token's fees at this amount, or off", parse.amountOrOff)
    .examples("tokenctl watch", "tokenctl watch --fees-above 0.5");

  command("health", "check that the server works; needs no wallet", session).examples(
    "tokenctl health --api-url https://…",
  );

  command("mcp", "serve tools for the wallet to a model by MCP", () => import("./commands/mcp.ts"))
    .option("--read-only", "offer only tools that change nothing")
    .option("--toolsets <names>", `${toolsets.join(",")}; default: all`, parse.toolsetNames)
    .option("--max-launches-per-day <n>", "launches per UTC day", parse.dayLimit, 1)
    .option("--allow-mainnet", "allow servers besides sandboxes and localnets")
    .option("--no-confirm", "launch and claim without asking the client's user")
    .option("--files <dir>", "allow uploads of images in this folder")
    .option("--audit-log <file>", "default: ~/.local/state/tokenctl/mcp-audit.jsonl")
    .option("--max-total-fee-sol <sol>", "maximum cost of all claims", parse.amount, "0.02")
    .option("--pay", "let the model's launches be paid by this wallet")
    .option("--max-launch-cost-sol <sol>", "with --pay: the most that each costs", parse.amount)
    .option(...RPC_URL)
    .option(...SANDBOX)
    .unless(
      ({ pay, maxLaunchCostSol }) =>
        (pay === undefined) !== (maxLaunchCostSol === undefined) &&
        "--pay and --max-launch-cost-sol need each other",
    )
    .examples(
      "tokenctl mcp --read-only",
      "tokenctl mcp --toolsets tokens,fees --api-url https://tokens.example",
    );

  const webhook = commandsOf(
    group(program, "webhooks", "manage receivers of the wallet's events"),
    run,
  );

  webhook("add", "add a receiver and print its secret", webhooks)
    .argument("<url>", "an https URL of a public host")
    .option("--after <id>", "send the events after this one; 0 for all", parse.count)
    .examples("tokenctl webhooks add https://agent.example/hook");

  webhook("list", "list the wallet's webhooks", webhooks).examples("tokenctl webhooks list");

  webhook("remove", "delete a webhook and its log", webhooks)
    .argument(...WEBHOOK)
    .examples(`tokenctl webhooks remove ${ID}`);

  webhook("test", "send a test message and wait for the answer", webhooks)
    .argument(...WEBHOOK)
    .examples(`tokenctl webhooks test ${ID}`);

  webhook("deliveries", "list the latest messages, newest first", webhooks)
    .argument(...WEBHOOK)
    .option("--limit <n>", "maximum number of messages", parse.count)
    .examples(`tokenctl webhooks deliveries ${ID} --limit 10`);

  webhook("replay", "send one event again, or all after one", webhooks)
    .argument(...WEBHOOK)
    .option("--event <id>", "send this event again", parse.count)
    .option("--after <id>", "send all events after this one, in order", parse.count)
    .unless((_id: unknown, { event, after }) => {
      const isBoth = (event === undefined) === (after === undefined);
      return isBoth && "give either --event or --after";
    })
    .examples(`tokenctl webhooks replay ${ID} --after 3`);

  webhook("rotate", "make new secrets; the old also sign for 24 h", webhooks)
    .argument(...WEBHOOK)
    .examples(`tokenctl webhooks rotate ${ID}`);

  const setting = commandsOf(
    group(program, "config", "set up profiles of servers and wallets"),
    // The profile may not exist yet.
    (options, action) => run({ ...options, isNewProfile: true }, action),
  );
  const key = () =>
    new Argument("<key>", "api-url, keypair, rpc-url or payout").choices([
      "api-url",
      "keypair",
      "rpc-url",
      "payout",
    ]);

  setting("list", "list the profiles; * marks the one in use", config).examples(
    "tokenctl config list",
  );

  setting("get", "show the settings and where each comes from", config)
    .addArgument(key().argOptional())
    .examples("tokenctl config get", "tokenctl config get api-url --json");

  setting("set", "set a setting of the profile in use", config)
    .addArgument(key())
    .argument("<value>", "its value")
    .examples(
      "tokenctl config set api-url https://tokens.example",
      "tokenctl config set keypair ~/agents/two.json --profile two",
    );

  setting("unset", "remove a setting, and a profile with its last one", config)
    .addArgument(key())
    .examples("tokenctl config unset rpc-url --profile two");

  setting("use", "use a profile from now on", config)
    .argument("<profile>", "its name", parse.profile)
    .examples("tokenctl config use two");

  group(program, "completion", "print the completion script of a shell")
    .addArgument(new Argument("<shell>", "bash, zsh or fish").choices(["bash", "zsh", "fish"]))
    .examples(
      "source <(tokenctl completion bash)    # or add it to ~/.bashrc",
      "source <(tokenctl completion zsh)     # after compinit, in ~/.zshrc",
      "tokenctl completion fish | source     # in ~/.config/fish/config.fish",
    )
    .action(async (shell: "bash" | "zsh" | "fish") => {
      // Only the script, even with --json: a shell reads it.
      world.out.write((await import("./completion-scripts.ts")).scripts[shell]);
    });

  program
    .command("complete", { hidden: true })
    .argument("[words...]")
    .action(async (words: string[]) => {
      const { complete } = await import("./complete.ts");
      await complete(program, words, world);
    });

  command(
    "licenses",
    "print the licences of what this program contains",
    () => import("./commands/licenses.ts"),
  ).examples("tokenctl licenses | less");

  const sandbox = commandsOf(group(program, "dev", "play the market on a sandbox server"), run);

  sandbox("airdrop", "give a wallet SOL, which has no value there", dev)
    .argument(...WALLET)
    .option("--sol <amount>", "how much", parse.amount, "1")
    .examples("tokenctl dev airdrop", "tokenctl dev airdrop --sol 10");

  sandbox("trade", "buy or sell a token, which earns its agent fees", dev)
    .argument(...MINT)
    .requiredOption("--sol <amount>", "SOL to spend, or with --sell to receive", parse.amount)
    .option("--sell", "sell instead of buying")
    .examples("tokenctl dev trade MINE --sol 2.5", "tokenctl dev trade MINE --sol 1 --sell");

  sandbox("graduate", "fill a token's curve, so that it migrates", dev)
    .argument(...MINT)
    .examples("tokenctl dev graduate MINE");

  return program;
}

/** A command with subcommands, or one without a context. */
function group(parent: CommandLine, name: string, help: string): CommandLine {
  return parent.command(name).description(help) as CommandLine;
}

function choice(flags: string, help: string, ...choices: string[]): Option {
  return new Option(flags, help).choices(choices);
}

/** The program, its options and its own help. */
function newProgram(world: Pick<World, "out" | "err">): CommandLine {
  return new CommandLine("tokenctl")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.out.write(text),
      writeErr: (text) => world.err.write(text),
      // Reading the terminal's width takes longer than the rest of `--help`.
      getOutHelpWidth: () => 80,
      getErrHelpWidth: () => 80,
      // There are no colours for commander to remove.
      getOutHasColors: () => true,
      getErrHasColors: () => true,
    })
    .description("Launch tokens, watch their fees and claim them.")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .option("--api-url <url>", "server; default: http://127.0.0.1:8787")
    .option("-k, --keypair <file>", "wallet; default: ~/.config/solana/id.json")
    .option("--profile <name>", "settings of `tokenctl config`", parse.profile)
    .option("--allow-nonce-without-host", "allow a sign-in nonce that names no server")
    .option("--json", "print results, errors and warnings as JSON")
    .option("--quiet", "print no notices, warnings or spinners")
    .configureHelp({
      showGlobalOptions: true,
      // The texts fit 80 columns, and each character takes one: without wrapping, `--help` takes a
      // tenth less time.
      minWidthToWrap: Number.POSITIVE_INFINITY,
      displayWidth: (text) => text.length,
      // The descriptions name the choices.
      optionDescription: ({ description, defaultValue }) =>
        defaultValue === undefined ? description : `${description} (default: ${defaultValue})`,
      argumentDescription: ({ description }) => description,
    })
    .examples(
      "tokenctl keygen",
      'tokenctl launch --name "My Token" --ticker MINE',
      "tokenctl fees",
      "tokenctl claim --all",
    )
    .addHelpText(
      "after",
      `
Environment:
  TOKENCTL_API_URL  the server, unless --api-url is given
  TOKENCTL_KEYPAIR  the wallet, unless --keypair is given
  TOKENCTL_PROFILE  the profile, unless --profile is given
  TOKENCTL_RPC_URL  the Solana node that is believed, unless --rpc-url is given
  NO_COLOR          turns colours off if set
  TOKENCTL_DEBUG    prints stack traces of errors if set

${exitCodeHelp}`,
    );
}
