import { Type } from "@sinclair/typebox";
import { limits } from "../limits.ts";
import { requestText } from "./request-text.ts";
import * as t from "./values.ts";

export const NewWebhookRequestSchema = t.fields({
  url: requestText({
    minLength: 1,
    maxLength: limits.webhook.url,
    format: "uri",
    description:
      "The receiver: an https URL of a public host, with port 443 or a port from 1024. On a sandbox also an http or https URL of the server's own machine",
    examples: ["https://agent.example/events"],
    "x-rule": `must be a URL of at most ${limits.webhook.url} characters`,
  }),
  after: t.optional(
    t.whole("Sends the events after this one; by default only new ones", {
      maximum: Number.MAX_SAFE_INTEGER,
      "x-rule": "must be the id of an event",
    }),
  ),
});

export const TestMessageSchema = t.object(
  "A message that a receiver gets because the agent asked",
  {
    type: Type.Literal("webhook.test", { description: "Always the same" }),
    timestamp: t.timestamp("When it was asked for; ISO-8601 in UTC"),
    data: t.object("What was tested", { webhookId: t.uuid("The webhook; UUID v4") }),
  },
);

const webhook = {
  id: t.uuid("The webhook; UUID v4"),
  url: t.text("The receiver", { maxLength: limits.webhook.url }),
  createdAt: t.timestamp("When it was added; ISO-8601 in UTC"),
  cursor: t.whole(
    "The last event that was sent, including one that the receiver has not accepted yet",
  ),
  nextAttemptAt: t.nullable(
    t.timestamp(),
    "When that event is sent again; null if the receiver accepted it",
  ),
  failures: t.whole("Failed attempts since the last success"),
};

export const WebhookSchema = t.object("A receiver that gets the agent's events by POST", webhook);

export const WebhookWithSecretSchema = t.object(
  "A webhook and its secret, which only this answer contains",
  {
    ...webhook,
    secret: t.text(
      "Verifies `v1` signatures (HMAC-SHA256): `whsec_` and the key in base64. Only this answer contains it",
      { pattern: "^whsec_[A-Za-z0-9+/]{43}=$" },
    ),
  },
);

export const WebhookListSchema = t.object("The agent's webhooks", {
  webhooks: t.list(WebhookSchema, "Oldest first"),
});

export const WebhookDeliverySchema = t.object("A message to a receiver", {
  number: t.whole("1, 2, 3 … for each webhook", { minimum: 1 }),
  kind: t.openChoice(
    ["event", "test"],
    "`event` is sent in order until the receiver accepts it; `test` is sent once",
  ),
  event: t.nullable(Type.Integer({ minimum: 1 }), "The event's id; null for a test"),
  status: t.choice(["pending", "delivered", "failed"], "`failed` only after the last attempt"),
  attempts: t.whole("Number of attempts"),
  createdAt: t.timestamp("When it was queued; ISO-8601 in UTC"),
  attemptedAt: t.nullable(t.timestamp(), "When it was last sent; null if it was not sent yet"),
  httpStatus: t.nullable(Type.Integer(), "The status of the last answer; null if there was none"),
  problem: t.nullable(t.string, "Why the last attempt had no answer; otherwise null"),
});

export const WebhookDeliveryListSchema = t.object("The last deliveries of a webhook", {
  deliveries: t.list(WebhookDeliverySchema, "Newest first"),
  nextCursor: t.nextCursor,
});

export const WebhookRemovedSchema = t.fields({ success: t.success, url: webhook.url });
