import { type Command, InvalidArgumentError, Option } from "commander";
import { LOG_LEVELS } from "../../base/log.ts";
import { PAUSABLE } from "../../domain/steering.ts";

/** Adds `tokend admin …`; the commands are loaded when they run. */
export function addAdminCommands(program: Command): void {
  const admin = program
    .command("admin")
    .description("look at a running server and steer it, by the socket in its DATA_DIR");
  const load = () => import("../admin.ts");

  reading(admin, "status", "queue, wallet, chain, rates, pauses and servers").action(
    async (options) => (await load()).status(options),
  );
  reading(admin, "launches", "the latest launches")
    .addOption(
      new Option("--status <status>").choices(["pending", "success", "failed", "rate_limited"]),
    )
    .option("--wallet <address>", "of one agent")
    .option("--since <time>", "a date, or how long ago: 30m, 2h, 7d")
    .option("--limit <number>", "how many", rows, "100")
    .action(async (options) => (await load()).launches(options));
  reading(admin, "launch <eventId>", "one launch: its transactions and why it was put off").action(
    async (eventId, options) => (await load()).launch(eventId, options),
  );
  reading(admin, "agents", "the agents of the latest launches, and those on a list")
    .option("--limit <number>", "how many", rows, "100")
    .action(async (options) => (await load()).agents(options));
  reading(admin, "audit", "what was changed, by whom and why; newest first")
    .option("--limit <number>", "how many", rows, "100")
    .action(async (options) => (await load()).audit(options));

  const rules = {
    block: "refuse launches of a wallet, in every mode; it can still claim",
    unblock: "take a wallet off the block list",
    allow: "put a wallet on the allowlist",
    disallow: "take a wallet off the allowlist",
  } as const;
  for (const rule of ["block", "unblock", "allow", "disallow"] as const) {
    changing(admin, `${rule} <wallet>`, rules[rule]).action(async (wallet, options) =>
      (await load()).setRule(rule, wallet, options),
    );
  }

  const invites = admin.command("invites").description("invites, for ADMISSION=invite");
  changing(invites, "create", "make invites and print their codes, which are shown once")
    .option("--count <number>", "how many", whole, 1)
    .option("--uses <number>", "agents that may redeem each", whole, 1)
    .option("--expires-in-days <days>", "days until it expires", positive)
    .option("--note <text>", "whom it is for")
    .action(async (options) => (await load()).createInvites(options));
  reading(invites, "list", "all invites, without their codes; newest first").action(
    async (options) => (await load()).listInvites(options),
  );
  changing(invites, "revoke <id>", "make an invite unusable").action(async (id, options) =>
    (await load()).revokeInvite(id, options),
  );

  changing(admin, "pause", "answer 503 with the reason; what is signed goes on")
    .addArgument(admin.createArgument("<what>").choices(PAUSABLE))
    .action(async (what, options) => (await load()).pause(what, options));
  changing(admin, "resume", "end a pause")
    .addArgument(admin.createArgument("<what>").choices(PAUSABLE))
    .action(async (what, options) => (await load()).resume(what, options));
  changing(
    admin,
    "retry <eventId>",
    "put a launch that ended without a token back in the queue",
  ).action(async (eventId, options) => (await load()).retry(eventId, options));
  changing(
    admin,
    "cancel",
    "end launches that wait and that nothing is signed for; their tickers are free at once",
  )
    .option("--wallet <address>", "of one agent")
    .option("--address <ip>", "of one network address (IPv4, IPv6 /64)")
    .option("--network <ip>", "of one network (IPv4 /24, IPv6 /48)")
    .option("--since <time>", "accepted since a date, or for so long: 30m, 2h, 7d")
    .option("--yes", "cancel without asking")
    .action(async (options) => (await load()).cancel(options));
  changing(
    admin,
    "use-config <address>",
    "launch under another config; default: DBC_CONFIG",
  ).action(async (address, options) => (await load()).useConfig(address, options));
  changing(admin, "log-level", "change the log level; default: LOG_LEVEL")
    .addArgument(admin.createArgument("<level>").choices([...LOG_LEVELS, "default"]))
    .action(async (level, options) => (await load()).logLevel(level, options));
}

function reading(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description).option("--json", "print JSON");
}

function changing(parent: Command, name: string, description: string): Command {
  return reading(parent, name, description).option("--reason <text>", "why; kept in the audit");
}

function rows(text: string): string {
  return String(whole(text));
}

function whole(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It is not a whole number from 1 on.");
}

function positive(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && value > 0 && value < 1e6) return value;
  throw new InvalidArgumentError("It is not a number above 0.");
}
