import { setTimeout as pause } from "node:timers/promises";
import type { Webhook, WebhookDelivery, WebhookWithSecret } from "@tokenctl/sdk";
import type { Desk, Result } from "../desk.ts";
import { CliError } from "../errors.ts";
import { type Cell, type ColumnOf, rowsOf } from "../table.ts";
import { listed } from "./list.ts";

const WEBHOOKS: readonly ColumnOf<Webhook>[] = [
  ["WEBHOOK", ({ id }) => id],
  ["STATE", stateOf],
  ["SENT UP TO", ({ cursor }) => cursor, { dropFirst: 2 }],
  ["NEXT ATTEMPT", ({ nextAttemptAt }) => nextAttemptAt, { dropFirst: 1 }],
  ["URL", ({ url }) => url, { shorten: "end" }],
];

function stateOf({ failures, disabledAt }: Webhook): Cell {
  if (disabledAt !== null) return { text: "disabled", colour: "red" };
  if (failures > 0) return { text: `failed ${failures}x`, colour: "yellow" };
  return { text: "ok", colour: "green" };
}

export async function list({ client, signal }: Desk): Promise<Result> {
  const data = await client.webhooks.list({ signal });
  const none = "This wallet has no webhooks.";
  return listed(data, { rows: data.webhooks, columns: WEBHOOKS, none });
}

export async function add(
  { client, notices, signal }: Desk,
  { url, after }: { url: string; after?: number },
): Promise<Result> {
  const data = await client.webhooks.create({ url, after }, { signal });
  notices.notice("Store the secret: it is not shown again.");
  return secretResult(data);
}

export async function rotate(
  { client, notices, signal }: Desk,
  { id }: { id: string },
): Promise<Result> {
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

export async function remove({ client, signal }: Desk, { id }: { id: string }): Promise<Result> {
  const data = await client.webhooks.delete(id, { signal });
  return { data, view: { fields: [["Removed", data.url]] } };
}

const COLOURS = { delivered: "green", failed: "red", pending: "yellow" } as const;

const DELIVERIES: readonly ColumnOf<WebhookDelivery>[] = [
  ["NO.", ({ number }) => number],
  ["WHAT", ({ kind, event }) => (event === null ? kind : `${kind} ${event}`)],
  ["STATUS", ({ status }) => ({ text: status, colour: COLOURS[status] })],
  ["TRIED", ({ attempts }) => attempts],
  ["LAST", ({ attemptedAt }) => attemptedAt, { dropFirst: 1 }],
  ["ANSWER", ({ problem, httpStatus }) => problem ?? httpStatus?.toString() ?? null],
];

export async function deliveries(
  { client, signal }: Desk,
  { id, limit }: { id: string; limit?: number },
): Promise<Result> {
  const data = await client.webhooks.deliveries(id, { limit, signal });
  const none = "Nothing has been sent yet.";
  return listed(data, { rows: data.deliveries, columns: DELIVERIES, none });
}

export async function test(desk: Desk, { id }: { id: string }): Promise<Result> {
  return outcomeOf(desk, id, await desk.client.webhooks.test(id, { signal: desk.signal }));
}

export async function replay(
  desk: Desk,
  { id, event, after = 0 }: { id: string; event?: number; after?: number },
): Promise<Result> {
  const { client, notices, signal } = desk;
  const wanted = event === undefined ? { after } : { event };
  const { delivery } = await client.webhooks.replay(id, wanted, { signal });
  if (delivery) return outcomeOf(desk, id, delivery);
  notices.notice("The events are being sent.");
  return deliveries(desk, { id });
}

/** Milliseconds between two reads of a delivery; 80 reads take 20 s in total. */
const READ_EVERY_MS = 250;
const READS = 80;
/** Larger than the number of newer tests and replays that the log can have. */
const LOG_PAGE = 50;

async function outcomeOf(
  { client, notices, signal }: Desk,
  id: string,
  queued: WebhookDelivery,
): Promise<Result> {
  notices.progress("Waiting for the receiver's answer");
  let data = queued;
  for (let read = 0; read < READS && data.status === "pending"; read++) {
    // If Ctrl-C interrupts the pause, the next read throws.
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
