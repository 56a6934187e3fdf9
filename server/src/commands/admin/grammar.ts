import { LAUNCH_STATUSES } from "@tokenctl/shared/words";
import { type Command, InvalidArgumentError, Option } from "commander";
import { PAUSABLE } from "../../domain/steering.ts";
import type * as actions from "../admin.ts";

type Admin = typeof actions;

const FOLLOWS =
  "This server follows now, others of the database within seconds: tokend admin status shows them";

export function addAdminCommands(program: Command): void {
  const admin = program
    .command("admin")
    .description("look at a running server and steer it, through the socket in its DATA_DIR");
  const load = () => import("../admin.ts");
  const read: Admin["read"] = async (...call) => (await load()).read(...call);
  const change: Admin["change"] = async (...call) => (await load()).change(...call);

  reading(admin, "status", "queue, wallet, chain, rates, pauses and servers").action((options) =>
    read("status", options),
  );
  listing(admin, "launches", "the latest launches")
    .addOption(new Option("--status <status>").choices(LAUNCH_STATUSES))
    .option("--wallet <address>", "of one agent")
    .action(({ json, ...which }) => read("launches", { json }, which));
  reading(admin, "launch <eventId>", "one launch: its transaction and why it was put off").action(
    (eventId, options) => read("launch", options, { eventId }),
  );
  listing(admin, "audit", "what was changed, by whom and why; newest first").action(
    ({ json, limit }) => read("audit", { json }, { limit }),
  );

  for (const [rule, description] of Object.entries({
    block: "refuse launches of a wallet, in every mode; it can still claim",
    unblock: "take a wallet off the block list",
    allow: "put a wallet on the allowlist",
    disallow: "take a wallet off the allowlist",
  })) {
    changing(admin, `${rule} <wallet>`, description).action((wallet, options) =>
      change("rule", options, { rule, wallet }, `${wallet}: done (${rule})`),
    );
  }

  for (const [what, description] of [
    ["hide", "hide a token and its image from every public door; its agent can still claim"],
    ["unhide", "show a hidden token again"],
  ] as const) {
    changing(admin, `${what} <token>`, `${description}; by mint, ticker or event id`).action(
      (token, options) => change(what, options, { token }),
    );
  }
  const forget = "erase what is kept about a wallet, except what is on chain or needed for money";
  changing(admin, "forget <wallet>", forget).action((wallet, options) =>
    change("forget", options, { wallet }),
  );

  const invites = admin.command("invites").description("invites, for ADMISSION=invite");
  changing(invites, "create", "make invites and print their codes, which are shown once")
    .option("--count <number>", "how many", whole, 1)
    .option("--uses <number>", "agents that may redeem each", whole, 1)
    .option("--expires-in-days <days>", "days until it expires", positive)
    .option("--note <text>", "whom it is for")
    .action(({ json, reason, ...wanted }) => change("invites create", { json, reason }, wanted));
  reading(invites, "list", "all invites, without their codes; newest first").action((options) =>
    read("invites", options),
  );
  changing(invites, "revoke", "make an invite unusable")
    .argument("<id>", "its number", whole)
    .action((id, options) => change("invites revoke", options, { id }, `Invite ${id} is revoked`));

  changing(admin, "pause", "answer 503 with the reason; what is signed continues")
    .addArgument(admin.createArgument("<what>").choices(PAUSABLE))
    .action((what, options) => change("pause", options, { what }, `Paused: ${what}. ${FOLLOWS}`));
  changing(admin, "resume", "end a pause")
    .addArgument(admin.createArgument("<what>").choices(PAUSABLE))
    .action((what, options) => change("resume", options, { what }, `Resumed: ${what}. ${FOLLOWS}`));
  const retry =
    "put a launch that ended without a token back in the queue; its wallet still gets one token a UTC day";
  changing(admin, "retry <eventId>", retry).action((eventId, options) => {
    const done = `${eventId} is in the queue again. If its wallet has a token of this UTC day, it ends rate_limited again`;
    return change("retry", options, { eventId }, done);
  });
  const cancel = "end waiting launches that are not signed; their tickers are free at once";
  changing(admin, "cancel", cancel)
    .option("--wallet <address>", "of one agent")
    .option("--network <ip>", "of one network (IPv4 /24, IPv6 /48)")
    .option("--yes", "cancel without asking")
    .action(async (options) => (await load()).cancel(options));
}

function reading(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description).option("--json", "print JSON");
}

function listing(parent: Command, name: string, description: string): Command {
  return reading(parent, name, description).option("--limit <number>", "how many", whole, 100);
}

function changing(parent: Command, name: string, description: string): Command {
  return reading(parent, name, description).option("--reason <text>", "why; kept in the audit");
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
