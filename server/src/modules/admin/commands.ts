import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import {
  FormatRegistry,
  type Static,
  type TObject,
  type TProperties,
  Type,
} from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { isStorable } from "@tokenctl/shared/contract/request-text";
import { LAUNCH_STATUSES } from "@tokenctl/shared/words";
import type { Logger } from "pino";
import { decodeAddress } from "../../base/base58.ts";
import { DAY_MS } from "../../base/clock.ts";
import { ServiceError } from "../../base/service-error.ts";
import { UNBOUNDED } from "../../domain/intake-limits.ts";
import { networkOf } from "../../domain/shares.ts";
import { PAUSABLE } from "../../domain/steering.ts";
import { subscriber } from "../../http/admit.ts";
import { inviteHash } from "../../store/operator.ts";
import { AdminError, type AdminService, type Command, changeOf } from "./service.ts";

FormatRegistry.Set("storable", isStorable);
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength, format: "storable" });
const whole = (maximum: number) => Type.Integer({ minimum: 1, maximum });
const oneOf = <Word extends string>(words: readonly Word[]) =>
  Type.Union(words.map((word) => Type.Literal(word)));

const BY = { actor: text(200), reason: Type.Optional(Type.Union([text(500), Type.Null()])) };
const WHICH = { wallet: Type.Optional(text(44)), network: Type.Optional(text(64)) };
const LIMIT = { limit: whole(10_000) };

const RULES = {
  block: { list: "blocked", isOn: true },
  unblock: { list: "blocked", isOn: false },
  allow: { list: "allowed", isOn: true },
  disallow: { list: "allowed", isOn: false },
} as const;
const LISTS = { blocked: "block list", allowed: "allowlist" } as const;

/** 20 letters and digits that are hard to confuse: 100 bits. */
const CODE_LETTERS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const CODE_LENGTH = 20;

/** The arguments and actions of `tokend admin`. A user who can open the socket may do all. */
function commandsOf(admin: AdminService) {
  const { store, limits, onLaunchAccepted } = admin.options;
  const { operator, launches, takedowns, clock } = store;

  async function launchOf(eventId: string) {
    const launch = await operator.launch(eventId);
    if (!launch) throw new AdminError(404, `There is no launch ${eventId}`);
    return launch;
  }

  const hiding = (action: "hide" | "unhide") =>
    on({ token: text(64) }, async ({ token }, by) => {
      const isHidden = action === "hide";
      if (isHidden && by.reason === null)
        throw new AdminError(400, "The audit needs the reason: give one with --reason");
      const found = await takedowns.setHidden(token, isHidden, changeOf(by, action, null));
      if (found === null) throw new AdminError(404, `There is no token ${token}`);
      if (found.kind === "changed") return found;
      throw new AdminError(409, `${found.ticker} is ${isHidden ? "already" : "not"} hidden`);
    });

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
    launch: on({ eventId: text(64) }, ({ eventId }) => launchOf(eventId)),
    retry: on({ eventId: text(64) }, async ({ eventId }, by) => {
      const { payers, signWithinMs, tickerHoldMs } = limits;
      const { wallet, ticker } = await launchOf(eventId);
      const request = { wallet, eventId, address: null, now: clock.now() };
      const bounds = { ...UNBOUNDED, payers, signWithinMs, tickerHoldMs };
      const outcome = await launches.retry(request, bounds);
      if (outcome.kind === "not_ended") {
        const text = `The launch is ${outcome.status}: only failed and rate_limited ones can be retried`;
        throw new AdminError(409, text);
      }
      if (outcome.kind !== "stored")
        throw new AdminError(409, `The launch of ${ticker} is refused: ${outcome.kind}`);
      await operator.record(changeOf(by, "retry", eventId));
      onLaunchAccepted();
      return { eventId };
    }),
    cancel: on({ ...WHICH, eventIds: Type.Array(text(64)) }, async ({ eventIds, ...given }, by) => {
      const which = whichOf(given);
      const reason = by.reason === null ? "" : `: ${by.reason}`;
      const error = `Cancelled by the service's operator${reason}`;
      const cancelled = await launches.endWaiting({ ...which, eventIds }, error);
      const subject = Object.entries(which).flatMap(([name, value]) =>
        value === undefined ? [] : [`${name} ${value}`],
      );
      const change = changeOf(by, "cancel", subject.join(", "));
      if (cancelled > 0) await operator.record({ ...change, detail: `${cancelled} launches` });
      return { cancelled };
    }),
    audit: on(LIMIT, async ({ limit }) => ({ entries: await operator.audit(limit) })),
    rule: on(
      { rule: oneOf(Object.keys(RULES) as (keyof typeof RULES)[]), wallet: text(64) },
      async ({ rule, wallet }, by) => {
        requireAddress(wallet);
        const change = changeOf(by, rule, wallet);
        if (await operator.setRule(wallet, RULES[rule], change)) return { wallet };
        const { isOn } = RULES[rule];
        const list = LISTS[RULES[rule].list];
        // A reason may be added later.
        if (!isOn || by.reason === null)
          throw new AdminError(409, `${wallet} is ${isOn ? "already" : "not"} on the ${list}`);
        await operator.record({ ...change, detail: `already on the ${list}` });
        return { wallet };
      },
    ),
    hide: hiding("hide"),
    unhide: hiding("unhide"),
    forget: on({ wallet: text(64) }, async ({ wallet }, by) => {
      requireAddress(wallet);
      const erased = await takedowns.forget(wallet, changeOf(by, "forget", wallet));
      if (erased !== null) return { wallet, erased };
      const text = `Launches of ${wallet} wait: tokend admin cancel --wallet ${wallet} ends them`;
      throw new AdminError(409, text);
    }),
    invites: on({}, async () => ({ invites: await operator.invites() })),
    "invites create": on(
      {
        count: whole(1_000),
        uses: whole(1_000_000),
        note: Type.Optional(text(200)),
        expiresInDays: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 3_650 })),
      },
      async ({ count, uses, note = null, expiresInDays }, by) => {
        const codes = Array.from({ length: count }, () => {
          const letters = Array.from(randomBytes(CODE_LENGTH), (byte) => CODE_LETTERS[byte % 32]);
          return letters.join("").replace(/.{4}(?=.)/g, "$&-");
        });
        const expiresAt = expiresInDays ? clock.now() + expiresInDays * DAY_MS : null;
        const made = await operator.createInvites(
          codes.map((code) => ({ codeHash: inviteHash(code), note, maxUses: uses, expiresAt })),
          { ...changeOf(by, "invites create", null), detail: `${count} of ${uses} uses` },
        );
        return { invites: made.map((invite, index) => ({ ...invite, code: codes[index] ?? "" })) };
      },
    ),
    "invites revoke": on({ id: Type.Integer() }, async ({ id }, by) => {
      const change = changeOf(by, "invites revoke", String(id));
      if (await operator.revokeInvite(id, change)) return { id };
      throw new AdminError(404, `There is no invite ${id}, or it was revoked before`);
    }),
    pause: on({ what: oneOf(PAUSABLE) }, ({ what }, by) => admin.pause(what, by)),
    resume: on({ what: oneOf(PAUSABLE) }, ({ what }, by) => admin.resume(what, by)),
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
      const isKnown = error instanceof AdminError || error instanceof ServiceError;
      const status = error instanceof AdminError ? error.status : 500;
      if (!isKnown) log.error({ err: error }, "a command of the operator failed");
      return Response.json({ error: message }, { status });
    }
  };
}

function whichOf({ wallet, network }: Partial<Record<"wallet" | "network", string>>) {
  if (wallet !== undefined) requireAddress(wallet);
  if (network === undefined) return { wallet };
  const [address = ""] = network.split("/");
  if (isIP(address) === 0)
    throw new AdminError(400, "network is an IP address, or begins with one");
  return { wallet, network: networkOf(subscriber(address)) };
}

function requireAddress(wallet: string): void {
  if (decodeAddress(wallet)) return;
  throw new AdminError(400, `${wallet} is not a base58 wallet address`);
}
