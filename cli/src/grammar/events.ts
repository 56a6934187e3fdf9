import type { AgentEvent, Webhook, WebhookDelivery } from "@tokenctl/sdk";
import { limits } from "@tokenctl/shared/limits";
import { type ColumnOf, rowsOf } from "../desk.ts";
import { second, solText } from "../format.ts";
import { command } from "./command.ts";
import { AFTER, ID } from "./common.ts";
import { required, text, whole } from "./field.ts";

const { events } = limits;

export const eventCommands = [
  command({
    name: "watch",
    help: "print events of launches, claims and tokens",
    effect: "writes",
    flags: {
      after: whole("start after this event; 0 for all stored events", 0, undefined, AFTER),
      count: whole("stop after this many events", 1),
      feesAbove: text("report a token's fees at this amount, or off", {
        flag: "--fees-above <sol>",
        pattern: "^(off|(?!0+(\\.0+)?$)\\d{1,7}(\\.\\d{1,9})?)$",
        rule: "an amount of SOL above 0, such as 1 or 0.25, or off",
      }),
    },
    examples: ["tokenctl watch", "tokenctl watch --fees-above 0.5"],
    async run(
      { client, notices, print, signal },
      { after, count = Number.POSITIVE_INFINITY, feesAbove },
    ) {
      if (feesAbove === "off") {
        await client.deleteFeeThreshold({ signal });
        notices.notice("The server no longer reports claimable fees.");
      } else if (feesAbove !== undefined) {
        await client.setFeeThreshold({ claimableSOL: Number(feesAbove) }, { signal });
        const end = "--fees-above off ends that";
        notices.notice(`The server reports each token with ${feesAbove} SOL to claim; ${end}.`);
      }
      await client.login({ signal });
      notices.notice("Waiting for events. Ctrl-C ends it.");
      let printed = 0;
      try {
        for await (const event of client.events({ after: after ?? "latest", signal })) {
          // Without a reader (`| head`) there is nothing left to do.
          if (!print({ data: event, lines: [lineOf(event)] }) || ++printed >= count) break;
        }
      } catch (error) {
        // Ctrl-C is the normal end of a watch.
        if (!signal.aborted) throw error;
      }
      return null;
    },
  }),
  command({
    help: "list events of the wallet's launches and claims, oldest first",
    tool: {
      name: "list_events",
      about:
        "Pass nextAfter as the next call's after, so that none is missed. With waitSeconds it waits for an event if there is none.",
      arguments: {
        after: whole("nextAfter of the previous call; default 0, for all", 0, undefined, {
          default: 0,
        }),
        limit: whole("maximum events; default 20", events.min, events.max, { default: 20 }),
        waitSeconds: whole("seconds to wait for an event; default 0", 0, 50, { default: 0 }),
      },
    },
    async run({ client, signal }, cursor) {
      const data = await client.eventList({ ...cursor, signal });
      const says = `${data.events.length} events. Continue after ${data.nextAfter}.`;
      return { data, says };
    },
  }),
];

function lineOf({ id, type, timestamp, data }: AgentEvent): string {
  const hash = type === "launch.succeeded" ? null : data.transactionHash;
  const cost = data.costSOL === undefined ? [] : [`cost ${solText(data.costSOL)}`];
  const about = [data.ticker.padEnd(10), hash ?? data.tokenMint ?? data.eventId];
  const start = [second(timestamp), String(id).padStart(5), type.padEnd(19)];
  return [...start, ...about, ...cost].join("  ");
}

const WEBHOOK = text("the webhook's id", {
  pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
  rule: "a webhook's id, a UUID: `webhooks list` prints it",
});
const operands = { id: required(WEBHOOK) };

const WEBHOOKS: readonly ColumnOf<Webhook>[] = [
  ["WEBHOOK", ({ id }) => id],
  ["STATE", ({ failures }) => (failures > 0 ? `failed ${failures}x` : "ok")],
  ["SENT UP TO", ({ cursor }) => cursor],
  ["NEXT ATTEMPT", ({ nextAttemptAt }) => nextAttemptAt],
  ["URL", ({ url }) => url, "end"],
];

const DELIVERIES: readonly ColumnOf<WebhookDelivery>[] = [
  ["NO.", ({ number }) => number],
  ["WHAT", ({ kind, event }) => (event === null ? kind : `${kind} ${event}`)],
  ["STATUS", ({ status }) => status],
  ["TRIED", ({ attempts }) => attempts],
  ["LAST", ({ attemptedAt }) => attemptedAt],
  ["ANSWER", ({ problem, httpStatus }) => problem ?? httpStatus?.toString() ?? null],
];

export const webhookCommands = [
  command({
    name: "webhooks add",
    help: "add a receiver and print its secret",
    effect: "writes",
    operands: { url: required(text("an https URL of a public host")) },
    flags: { after: whole("send the events after this one; 0 for all", 0, undefined, AFTER) },
    examples: ["tokenctl webhooks add https://agent.example/hook"],
    async run({ client, notices, signal }, { url, after }) {
      const data = await client.webhooks.create({ url, after }, { signal });
      notices.notice("Store the secret: it is not shown again.");
      return {
        data,
        fields: [
          ["Webhook", data.id],
          ["URL", data.url],
          ["Secret", data.secret],
        ],
      };
    },
  }),
  command({
    name: "webhooks list",
    help: "list the wallet's webhooks",
    async run({ client, signal }) {
      const data = await client.webhooks.list({ signal });
      const none = "This wallet has no webhooks.";
      return { data, table: rowsOf(data.webhooks, WEBHOOKS, { none }) };
    },
  }),
  command({
    name: "webhooks remove",
    help: "delete a webhook and its log",
    effect: "writes",
    operands,
    async run({ client, signal }, { id }) {
      const data = await client.webhooks.delete(id, { signal });
      return { data, fields: [["Removed", data.url]] };
    },
  }),
  command({
    name: "webhooks test",
    help: "send a test message",
    effect: "writes",
    operands,
    async run({ client, signal }, { id }) {
      const data = await client.webhooks.test(id, { signal });
      const next = `Next: \`tokenctl webhooks deliveries ${id}\` shows the receiver's answer`;
      return { data, table: rowsOf([data], DELIVERIES), next: [next] };
    },
  }),
  command({
    name: "webhooks deliveries",
    help: "list the latest messages, newest first",
    operands,
    flags: { limit: whole("maximum number of messages", 1) },
    examples: [`tokenctl webhooks deliveries ${ID} --limit 10`],
    async run({ client, signal }, { id, limit }) {
      const data = await client.webhooks.deliveries(id, { limit, signal });
      const none = "Nothing has been sent yet.";
      return { data, table: rowsOf(data.deliveries, DELIVERIES, { none }) };
    },
  }),
];
