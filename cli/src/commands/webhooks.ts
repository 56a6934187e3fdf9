import { setTimeout as pause } from "node:timers/promises";
import type { TokenctlClient, Webhook, WebhookDelivery, WebhookWithSecret } from "@tokenctl/sdk";
import { connect } from "../connect.ts";
import type { Context, Result } from "../context.ts";
import { CliError, UsageError } from "../errors.ts";
import { type Cell, type ColumnOf, rowsOf } from "../table.ts";

const WEBHOOKS: readonly ColumnOf<Webhook>[] = [
  { title: "WEBHOOK", of: ({ id }) => id },
  { title: "STATE", of: stateOf },
  { title: "SENT UP TO", of: ({ cursor }) => String(cursor), align: "right", dropFirst: 2 },
  { title: "NEXT ATTEMPT", of: ({ nextAttemptAt }) => nextAttemptAt, dropFirst: 1 },
  { title: "URL", of: ({ url }) => url, shorten: "end" },
];

function stateOf({ failures, disabledAt }: Webhook): Cell {
  if (disabledAt !== null) return { text: "disabled", colour: "red" };
  if (failures > 0) return { text: `failed ${failures}x`, colour: "yellow" };
  return { text: "ok", colour: "green" };
}

export async function list(context: Context): Promise<Result> {
  const client = await connect(context);
  const data = await client.webhooks.list({ signal: context.signal });
  if (data.webhooks.length === 0) return { data, view: ["This wallet has no webhooks."] };
  return { data, view: { table: rowsOf(data.webhooks, WEBHOOKS) } };
}

export async function add(
  context: Context,
  url: string,
  { after }: { after?: number },
): Promise<Result> {
  const { notices, signal } = context;
  const client = await connect(context);
  const data = await client.webhooks.create({ url, after }, { signal });
  notices.notice("Store the secret: it is not shown again.");
  return secretResult(data);
}

export async function rotate(context: Context, id: string): Promise<Result> {
  const { notices, signal } = context;
  const client = await connect(context);
  const data = await client.webhooks.rotateSecret(id, { signal });
  notices.notice("The old secret also signs until the time shown.");
  return secretResult(data);
}

function secretResult(data: WebhookWithSecret): Result {
  const fields = [
    ["Webhook", data.id],
    ["URL", data.url],
    ["Secret", data.secret],
    ["Public key", data.publicKey],
    ["Old until", data.oldSecretExpiresAt ?? undefined],
  ] as const;
  return { data, view: { fields } };
}

export async function remove(context: Context, id: string): Promise<Result> {
  const client = await connect(context);
  const data = await client.webhooks.delete(id, { signal: context.signal });
  return { data, view: { fields: [["Removed", data.url]] } };
}

const COLOURS = { delivered: "green", failed: "red", pending: "yellow" } as const;

const DELIVERIES: readonly ColumnOf<WebhookDelivery>[] = [
  { title: "NO.", of: ({ number }) => String(number), align: "right" },
  { title: "WHAT", of: ({ kind, event }) => (event === null ? kind : `${kind} ${event}`) },
  { title: "STATUS", of: ({ status }) => ({ text: status, colour: COLOURS[status] }) },
  { title: "TRIED", of: ({ attempts }) => String(attempts), align: "right" },
  { title: "LAST", of: ({ attemptedAt }) => attemptedAt, dropFirst: 1 },
  { title: "ANSWER", of: ({ problem, httpStatus }) => problem ?? httpStatus?.toString() ?? null },
];

export async function deliveries(
  context: Context,
  id: string,
  { limit }: { limit?: number },
): Promise<Result> {
  const client = await connect(context);
  const data = await client.webhooks.deliveries(id, { limit, signal: context.signal });
  if (data.deliveries.length === 0) return { data, view: ["Nothing has been sent yet."] };
  return { data, view: { table: rowsOf(data.deliveries, DELIVERIES) } };
}

export async function test(context: Context, id: string): Promise<Result> {
  const client = await connect(context);
  const queued = await client.webhooks.test(id, { signal: context.signal });
  return outcomeOf(context, client, id, queued);
}

export async function replay(
  context: Context,
  id: string,
  { event, after }: { event?: number; after?: number },
): Promise<Result> {
  const { notices, signal } = context;
  const client = await connect(context);
  if (event !== undefined) {
    const { delivery } = await client.webhooks.replay(id, { event }, { signal });
    if (delivery) return outcomeOf(context, client, id, delivery);
  } else if (after !== undefined) {
    await client.webhooks.replay(id, { after }, { signal });
    notices.notice("The events are being sent.");
    return deliveries(context, id, {});
  }
  throw new UsageError(
    "give --event or --after",
    "`tokenctl webhooks replay --help` shows how to use it",
  );
}

/** A delivery is read this often, for 20 s in total. */
const READ_EVERY_MS = 250;
const READS = 80;
/** More than the tests and replays that can be newer in the log. */
const LOG_PAGE = 50;

async function outcomeOf(
  { notices, signal }: Context,
  client: TokenctlClient,
  id: string,
  queued: WebhookDelivery,
): Promise<Result> {
  notices.progress("Waiting for the receiver's answer");
  let data = queued;
  for (let read = 0; read < READS && data.status === "pending"; read++) {
    // If this is interrupted, the next read throws.
    if (read > 0) await pause(READ_EVERY_MS, null, { signal }).catch(() => {});
    const { deliveries: log } = await client.webhooks.deliveries(id, { limit: LOG_PAGE, signal });
    data = log.find(({ number }) => number === queued.number) ?? data;
  }
  const reason = data.httpStatus === null ? (data.problem ?? "") : `HTTP ${data.httpStatus}`;
  const failure = new CliError("delivery_failed", `The receiver did not accept it: ${reason}`, {
    hint: "A receiver answers with a status of 200 to 299, within 15 seconds",
  });
  const view = { table: rowsOf([data], DELIVERIES) };
  return { data, view, failure: data.status === "failed" ? failure : undefined };
}
