import { isIP } from "node:net";
import { FormatRegistry, type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { isStorable } from "@tokenctl/shared/contract/request-text";
import { PAUSABLE } from "@tokenctl/shared/operator-report";
import { LAUNCH_STATUSES } from "@tokenctl/shared/words";
import { Elysia } from "elysia";
import type { Logger } from "pino";
import { LOG_LEVELS } from "../../base/log.ts";
import { networkOf } from "../../domain/shares.ts";
import { subscriber } from "../../http/client-address.ts";
import { AdminError, type AdminService, RULES } from "./service.ts";

FormatRegistry.Set("storable", isStorable);
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength, format: "storable" });
const whole = (maximum: number) => Type.Integer({ minimum: 1, maximum });
const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

const Command = { actor: text(200), reason: Type.Optional(nullable(text(500))) };
const CommandSchema = Type.Object(Command);
const InvitesSchema = Type.Object({
  ...Command,
  count: whole(1_000),
  uses: whole(1_000_000),
  note: nullable(text(200)),
  expiresInDays: nullable(Type.Number({ exclusiveMinimum: 0, maximum: 3_650 })),
});
const ConfigSchema = Type.Object({ ...Command, config: nullable(text(44)) });
const LinkSchema = Type.Object({ ...Command, control: Type.Boolean() });
const LogLevelSchema = Type.Object({ ...Command, level: nullable(text(20)) });
const CancelSchema = Type.Object({
  ...Command,
  wallet: Type.Optional(text(44)),
  address: Type.Optional(text(64)),
  network: Type.Optional(text(64)),
  since: nullable(Type.Integer()),
  until: Type.Integer(),
});

const MAX_ROWS = 10_000;

/** The routes of the admin socket. Who can open the socket may do everything. */
export function adminRoutes(admin: AdminService, log: Logger) {
  const { operator } = admin;
  return new Elysia({ normalize: false })
    .onError(({ error, set }) => {
      if (error instanceof AdminError) {
        set.status = error.status;
        return { error: error.message };
      }
      if (error instanceof Error && "code" in error && error.code === "NOT_FOUND") {
        set.status = 404;
        return { error: "There is no such command: use the tokend of the server's version" };
      }
      log.error({ err: error }, "a command of the operator failed");
      set.status = 500;
      return { error: error instanceof Error ? error.message : String(error) };
    })
    .get("/status", () => admin.status())
    .get("/launches", async ({ query }) => {
      const filter = {
        status: query.status === undefined ? null : oneOf(LAUNCH_STATUSES, query.status, "status"),
        ...whichOf(query),
        isUnsigned: query.unsigned === "true",
        limit: rows(query.limit),
      };
      return { launches: await operator.launches(filter) };
    })
    .post("/launches/cancel", ({ body }) => {
      const { wallet, address, network, since, until, ...rest } = parse(CancelSchema, body);
      const which = { ...whichOf({ wallet, address, network }), since, until };
      return admin.cancel(which, command(rest));
    })
    .get("/launches/:eventId", ({ params }) => admin.launch(params.eventId))
    .post("/launches/:eventId/retry", ({ params, body }) =>
      admin.retry(params.eventId, onlyCommand(body)),
    )
    .get("/agents", async ({ query }) => ({ agents: await operator.agents(rows(query.limit)) }))
    .get("/audit", async ({ query }) => ({ entries: await operator.audit(rows(query.limit)) }))
    .post("/wallets/:wallet/:rule", ({ params, body }) =>
      admin.setRule(oneOf(RULES, params.rule, "a rule"), params.wallet, onlyCommand(body)),
    )
    .post("/tokens/:token/:what", ({ params, body }) => {
      const what = oneOf(["hide", "unhide"], params.what, "a change of a token");
      return admin.setHidden(params.token, what === "hide", onlyCommand(body));
    })
    .post("/forget/:wallet", ({ params, body }) => admin.forget(params.wallet, onlyCommand(body)))
    .get("/invites", async () => ({ invites: await operator.invites() }))
    .post("/invites", ({ body }) => {
      const { actor, reason = null, ...wanted } = parse(InvitesSchema, body);
      return admin.createInvites(wanted, { actor, reason });
    })
    .post("/invites/:id/revoke", ({ params, body }) =>
      admin.revokeInvite(wholeNumber(params.id, "id"), onlyCommand(body)),
    )
    .post("/pause/:what", ({ params, body }) =>
      admin.pause(oneOf(PAUSABLE, params.what, "what is paused"), onlyCommand(body)),
    )
    .post("/resume/:what", ({ params, body }) =>
      admin.resume(oneOf(PAUSABLE, params.what, "what is paused"), onlyCommand(body)),
    )
    .post("/config", ({ body }) => {
      const { config, ...rest } = parse(ConfigSchema, body);
      return admin.useConfig(config, command(rest));
    })
    .post("/console-link", ({ body }) => {
      const { control, ...rest } = parse(LinkSchema, body);
      return admin.consoleLink(control, command(rest));
    })
    .post("/log-level", ({ body }) => {
      const { level, ...rest } = parse(LogLevelSchema, body);
      const known = level === null ? null : oneOf(LOG_LEVELS, level, "A log level");
      return admin.setLogLevel(known, command(rest));
    });
}

/** Addresses and networks may be written in any form: an address names the network that it is in, too. */
function whichOf({ wallet, address, network, since }: Partial<Record<string, string | undefined>>) {
  return {
    wallet: wallet ?? null,
    address: address === undefined ? null : countedAddress(address, "address"),
    network: network === undefined ? null : networkOf(countedAddress(network, "network")),
    since: since === undefined ? null : wholeNumber(since, "since"),
  };
}

function countedAddress(text: string, what: string): string {
  const [address = ""] = text.split("/");
  if (isIP(address) === 0) {
    throw new AdminError(400, `${what} is an IP address, or begins with one`);
  }
  return subscriber(address);
}

function parse<Schema extends TSchema>(schema: Schema, body: unknown): Static<Schema> {
  const [problem] = Value.Errors(schema, body);
  if (problem) throw new AdminError(400, `${problem.path.slice(1) || "body"}: ${problem.message}`);
  return body as Static<Schema>;
}

function command({ actor, reason = null }: Static<typeof CommandSchema>) {
  return { actor, reason };
}

function onlyCommand(body: unknown) {
  return command(parse(CommandSchema, body));
}

function oneOf<T extends string>(known: readonly T[], value: string, what: string): T {
  const found = known.find((one) => one === value);
  if (found === undefined) throw new AdminError(400, `${what} is one of ${known.join(", ")}`);
  return found;
}

function rows(limit: string | undefined): number {
  return Math.min(MAX_ROWS, limit === undefined ? 100 : Math.max(1, wholeNumber(limit, "limit")));
}

function wholeNumber(value: string, what: string): number {
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new AdminError(400, `${what} is a whole number`);
}
