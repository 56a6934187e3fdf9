import { LaunchRequestSchema } from "@tokenctl/shared/contract/launch";
import { limits } from "@tokenctl/shared/limits";
import { LAUNCH_STATUSES } from "@tokenctl/shared/words";
import { command } from "./command.ts";
import { A_LAUNCH, ID, INTERVAL, PAGE, RPC_URL, WAIT, YES } from "./common.ts";
import { choice, flag, required, sol, text, whole } from "./field.ts";

const allowShortenedName = flag("cut a longer name to 32 bytes on chain, for good");
/** The flags to follow a launch, and to sign it if this wallet pays for it. */
const FOLLOWED = { interval: INTERVAL, yes: YES };

const { name, ...others } = LaunchRequestSchema.properties;
/** The fields that people give as flags. */
const REQUEST = {
  name: {
    ...name,
    description: "Its first 32 bytes of UTF-8 go on chain, unless onChainName replaces them",
  },
  ...others,
};

export const launchCommands = [
  command({
    name: "launch",
    help: "launch a token and wait until it is on chain",
    effect: "irreversible",
    flags: {
      name: required(text("1 to 255 characters")),
      onChainName: text("its name on chain, at most 32 bytes of UTF-8"),
      allowShortenedName,
      ticker: required(
        text("2 to 10 characters of A-Z and 0-9, unique", {
          pattern: "^[A-Z0-9]{2,10}$",
          rule: "2 to 10 characters of A-Z and 0-9",
        }),
      ),
      description: text("at most 1000 characters", { flag: "--description <text>" }),
      imageUrl: text("http, https, ipfs or ar; at most 255 characters"),
      image: text("upload this PNG, JPEG, WebP or GIF; at most 2 MiB", {
        flag: "--image <file>",
        names: "file",
        not: "imageUrl",
      }),
      website: text("the token's website, http or https", { flag: "--website <url>" }),
      twitter: text("its page on X, such as https://x.com/mytoken", { flag: "--twitter <url>" }),
      telegram: text("its chat, such as https://t.me/mytoken", { flag: "--telegram <url>" }),
      pay: flag("pay for the launch with this wallet"),
      firstBuySOL: sol("with --pay: buy for this much SOL", { flag: "--first-buy <sol>" }),
      firstBuyMinTokens: text("with --first-buy: the least whole tokens to get", {
        flag: "--first-buy-min <tokens>",
        pattern: "^\\d{1,10}(\\.\\d{1,6})?$",
        rule: "a number of tokens of at most 10 digits, with at most 6 decimals",
      }),
      maxCostSOL: sol("with --pay: the most that it may cost", { flag: "--max-cost-sol <sol>" }),
      rpcUrl: text("with --pay: Solana node that verifies the cost"),
      dryRun: flag("only show how the launch would end"),
      wait: flag("return as soon as the launch is accepted", { flag: "--no-wait" }),
      ...FOLLOWED,
      idempotencyKey: text("a repeat with the same key is the same launch"),
    },
    unless: ({ pay, firstBuySOL, firstBuyMinTokens, maxCostSOL }) =>
      !pay &&
      (firstBuySOL ?? firstBuyMinTokens ?? maxCostSOL) !== undefined &&
      "--first-buy, --first-buy-min and --max-cost-sol need --pay",
    examples: [
      'tokenctl launch --name "My Token" --ticker MINE --dry-run',
      'tokenctl launch --name "My Token" --ticker MINE',
      'tokenctl launch --name "My Token" --ticker MINE --image logo.png',
      'tokenctl launch --name "My Token" --ticker MINE --pay --first-buy 0.1',
      "tokenctl launch --name Mine --ticker MINE --no-wait --json",
    ],
    tool: {
      name: "launch_token",
      about:
        "It cannot be undone. The same arguments on the same UTC day are the same launch. A wallet launches at most one token per UTC day; check_launch says whether one is left. The status is then pending (call get_launch later), success, failed or rate_limited.",
      arguments: { ...REQUEST, allowShortenedName, ...WAIT },
    },
    unsettled: "It may have been accepted: `tokenctl launches` shows whether it was",
    run: async (desk, input) => (await import("../commands/launch.ts")).launch(desk, input),
  }),
  command({
    help: "show how a launch would end, and change nothing",
    tool: {
      name: "check_launch",
      about:
        "Every refusal, the day's remaining quota, what goes on chain, the cost, the expected time. Call it before launch_token with the same arguments.",
      arguments: { ...REQUEST, allowShortenedName },
    },
    run: async (desk, input) =>
      (await import("../commands/launch.ts")).launch(desk, { ...input, dryRun: true }),
  }),
  command({
    help: "upload an image for the imageUrl of a launch",
    effect: "writes",
    fields: {
      file: required(
        text(
          `its path in the folder that the owner allowed: a PNG, JPEG, WebP or GIF of at most ${limits.image.bytes} bytes`,
          { rule: "the path of a file in the folder of --files" },
        ),
      ),
    },
    tool: {
      name: "upload_image",
      about: "The service keeps only its pixels. The same image always has the same URL.",
    },
    run: async (desk, input) => (await import("../commands/launch.ts")).uploadImage(desk, input),
  }),
  command({
    name: "launches",
    help: "list the wallet's launches, newest first",
    fields: { status: choice(LAUNCH_STATUSES, "pending, success, failed or rate_limited") },
    flags: { limit: whole("maximum number of launches", 1, 1000, { flag: "--limit <count>" }) },
    examples: ["tokenctl launches --status pending"],
    tool: {
      name: "list_launches",
      about: "In pages, for example to find a lost eventId.",
      arguments: PAGE,
    },
    run: async (desk, input) => (await import("../commands/launches.ts")).launches(desk, input),
  }),
  command({
    name: "status",
    help: "show the state of a launch",
    operands: A_LAUNCH,
    flags: { wait: flag("wait until the launch has ended"), ...FOLLOWED, rpcUrl: RPC_URL },
    examples: ["tokenctl status MINE --wait", `tokenctl status ${ID} --wait`],
    tool: {
      name: "get_launch",
      about: "It waits for the end of one that is pending.",
      arguments: WAIT,
    },
    run: async (desk, input) => (await import("../commands/launches.ts")).status(desk, input),
  }),
  command({
    name: "retry",
    help: "try a failed or rate_limited launch again",
    effect: "irreversible",
    operands: A_LAUNCH,
    flags: {
      wait: flag("return as soon as it is in the queue", { flag: "--no-wait" }),
      ...FOLLOWED,
      rpcUrl: RPC_URL,
    },
    examples: ["tokenctl retry MINE", `tokenctl retry ${ID}`],
    tool: {
      name: "retry_launch",
      about:
        "It waits for its end. It counts among the UTC day's launches. One that is pending or successful stays unchanged.",
      arguments: WAIT,
    },
    unsettled: "It may continue: `tokenctl status` shows whether it does",
    run: async (desk, input) => (await import("../commands/launches.ts")).retry(desk, input),
  }),
  command({
    name: "cancel",
    help: "cancel a launch that is not signed yet",
    effect: "irreversible",
    operands: A_LAUNCH,
    flags: { yes: YES },
    examples: ["tokenctl cancel MINE", `tokenctl cancel ${ID}`],
    tool: {
      name: "cancel_launch",
      about:
        "It ends failed, and its ticker is free for anyone at once. It still counts among the UTC day's launches. A repeat returns the same result.",
    },
    unsettled: "`tokenctl status` shows whether it was cancelled",
    run: async (desk, input) => (await import("../commands/launches.ts")).cancel(desk, input),
  }),
];
