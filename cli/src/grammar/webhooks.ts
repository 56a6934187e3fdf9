import { command } from "./command.ts";
import { AFTER, ID } from "./common.ts";
import { required, text, whole } from "./field.ts";

const WEBHOOK = text("the webhook's id", {
  pattern: "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
  rule: "a webhook's id, a UUID: `webhooks list` prints it",
});
const operands = { id: required(WEBHOOK) };
const code = () => import("../commands/webhooks.ts");

export const webhookCommands = [
  command({
    name: "webhooks add",
    help: "add a receiver and print its secret",
    effect: "writes",
    operands: { url: required(text("an https URL of a public host")) },
    flags: { after: whole("send the events after this one; 0 for all", 0, undefined, AFTER) },
    examples: ["tokenctl webhooks add https://agent.example/hook"],
    run: async () => (await code()).add,
  }),
  command({
    name: "webhooks list",
    help: "list the wallet's webhooks",
    run: async () => (await code()).list,
  }),
  command({
    name: "webhooks remove",
    help: "delete a webhook and its log",
    effect: "writes",
    operands,
    run: async () => (await code()).remove,
  }),
  command({
    name: "webhooks test",
    help: "send a test message and wait for the answer",
    effect: "writes",
    operands,
    run: async () => (await code()).test,
  }),
  command({
    name: "webhooks deliveries",
    help: "list the latest messages, newest first",
    operands,
    flags: { limit: whole("maximum number of messages", 1) },
    examples: [`tokenctl webhooks deliveries ${ID} --limit 10`],
    run: async () => (await code()).deliveries,
  }),
  command({
    name: "webhooks replay",
    help: "send one event again, or all after one",
    effect: "writes",
    operands,
    flags: {
      event: whole("send this event again", 0, undefined, { flag: "--event <id>" }),
      after: whole("send all events after this one, in order", 0, undefined, AFTER),
    },
    unless: ({ event, after }) =>
      (event === undefined) === (after === undefined) && "give either --event or --after",
    examples: [`tokenctl webhooks replay ${ID} --after 3`],
    run: async () => (await code()).replay,
  }),
  command({
    name: "webhooks rotate",
    help: "make new secrets; the old also sign for 24 h",
    effect: "writes",
    operands,
    run: async () => (await code()).rotate,
  }),
];
