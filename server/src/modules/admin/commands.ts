import { isIP } from "node:net";
import {
  FormatRegistry,
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
} from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { isStorable } from "@tokenctl/shared/contract/request-text";
import { PAUSABLE } from "@tokenctl/shared/operator-report";
import { LAUNCH_STATUSES } from "@tokenctl/shared/words";
import type { Logger } from "pino";
import { LOG_LEVELS } from "../../base/log.ts";
import { networkOf } from "../../domain/shares.ts";
import { subscriber } from "../../http/admit.ts";
import { AdminError, type AdminService, type Command, RULE_NAMES } from "./service.ts";

FormatRegistry.Set("storable", isStorable);
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength, format: "storable" });
const whole = (maximum: number) => Type.Integer({ minimum: 1, maximum });
const oneOf = <Word extends string>(words: readonly Word[]) =>
  Type.Union(words.map((word) => Type.Literal(word)));
const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

const BY = { actor: text(200), reason: Type.Optional(nullable(text(500))) };
const WHICH = {
  wallet: Type.Optional(text(44)),
  address: Type.Optional(text(64)),
  network: Type.Optional(text(64)),
  since: Type.Optional(Type.Integer()),
};
const WhichSchema = Type.Object(WHICH);
const LIMIT = { limit: whole(10_000) };

/** The arguments and actions of `tokend admin`. A user who can open the socket may do all. */
function commandsOf(admin: AdminService) {
  const { operator } = admin;
  return {
    status: on({}, () => admin.status()),
    launches: on(
      {
        ...WHICH,
        ...LIMIT,
        status: Type.Optional(oneOf(LAUNCH_STATUSES)),
        isUnsigned: Type.Optional(Type.Boolean()),
      },
      async ({ limit, status, isUnsigned = false, ...which }) => ({
        launches: await operator.launches({ ...whichOf(which), limit, status, isUnsigned }),
      }),
    ),
    launch: on({ eventId: text(64) }, ({ eventId }) => admin.launch(eventId)),
    retry: on({ eventId: text(64) }, ({ eventId }, by) => admin.retry(eventId, by)),
    cancel: on({ ...WHICH, until: Type.Integer() }, ({ until, ...which }, by) =>
      admin.cancel({ ...whichOf(which), until }, by),
    ),
    agents: on(LIMIT, async ({ limit }) => ({ agents: await operator.agents(limit) })),
    audit: on(LIMIT, async ({ limit }) => ({ entries: await operator.audit(limit) })),
    rule: on({ rule: oneOf(RULE_NAMES), wallet: text(64) }, ({ rule, wallet }, by) =>
      admin.setRule(rule, wallet, by),
    ),
    hide: on({ token: text(64) }, ({ token }, by) => admin.setHidden(token, true, by)),
    unhide: on({ token: text(64) }, ({ token }, by) => admin.setHidden(token, false, by)),
    forget: on({ wallet: text(64) }, ({ wallet }, by) => admin.forget(wallet, by)),
    invites: on({}, async () => ({ invites: await operator.invites() })),
    "invites create": on(
      {
        count: whole(1_000),
        uses: whole(1_000_000),
        note: Type.Optional(text(200)),
        expiresInDays: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 3_650 })),
      },
      (of, by) => admin.createInvites(of, by),
    ),
    "invites revoke": on({ id: Type.Integer() }, ({ id }, by) => admin.revokeInvite(id, by)),
    pause: on({ what: oneOf(PAUSABLE) }, ({ what }, by) => admin.pause(what, by)),
    resume: on({ what: oneOf(PAUSABLE) }, ({ what }, by) => admin.resume(what, by)),
    "use-config": on({ config: nullable(text(44)) }, ({ config }, by) =>
      admin.useConfig(config, by),
    ),
    "console-link": on({ control: Type.Boolean() }, ({ control }, by) =>
      admin.consoleLink(control, by),
    ),
    "log-level": on({ level: nullable(oneOf(LOG_LEVELS)) }, ({ level }, by) =>
      admin.setLogLevel(level, by),
    ),
  };
}

function on<Given extends TProperties>(
  given: Given,
  run: (given: Static<TObject<Given>>, by: Command) => unknown,
) {
  const schema = Type.Object({ ...given, ...BY });
  return (body: Static<TObject<Given>> & Command) => {
    const [problem] = Value.Errors(schema, body);
    if (problem) throw new AdminError(400, `${problem.path.slice(1)}: ${problem.message}`);
    return run(body, { actor: body.actor, reason: body.reason ?? null });
  };
}

/** Answers commands sent by POST. The text of an error is for the operator. */
export function adminCommands(admin: AdminService, log: Logger) {
  const commands: Readonly<Record<string, (body: never) => unknown>> = commandsOf(admin);
  return async (request: Request): Promise<Response> => {
    try {
      const given = await request.json().catch(() => ({}));
      const { command, ...body } = given as { readonly command: string };
      const run = Object.hasOwn(commands, command) ? commands[command] : undefined;
      if (run) return Response.json(await run(body as never));
      throw new AdminError(404, "There is no such command: use the tokend of the server's version");
    } catch (error) {
      const { message } = error instanceof Error ? error : { message: String(error) };
      const status = error instanceof AdminError ? error.status : 500;
      if (status === 500) log.error({ err: error }, "a command of the operator failed");
      return Response.json({ error: message }, { status });
    }
  };
}

/** Accepts any form of an address or network. An address also names its network. */
function whichOf({ wallet, address, network, since }: Static<typeof WhichSchema>) {
  return {
    wallet,
    address: address && countedAddress(address, "address"),
    network: network && networkOf(countedAddress(network, "network")),
    since,
  };
}

function countedAddress(text: string, what: string): string {
  const [address = ""] = text.split("/");
  if (isIP(address) !== 0) return subscriber(address);
  throw new AdminError(400, `${what} is an IP address, or begins with one`);
}
