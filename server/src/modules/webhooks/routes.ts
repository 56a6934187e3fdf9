import { randomBytes } from "node:crypto";
import {
  NewWebhookRequestSchema,
  ReplayAcceptedSchema,
  ReplayRequestSchema,
  WebhookDeliveryListSchema,
  WebhookDeliverySchema,
  WebhookListSchema,
  WebhookRemovedSchema,
  WebhookWithSecretSchema,
} from "@tokenctl/shared/contract/webhook";
import { limits, OLD_SECRET_LIFETIME_MS } from "@tokenctl/shared/limits";
import type { Webhook, WebhookDelivery } from "@tokenctl/shared/types";
import { ServiceError } from "../../base/service-error.ts";
import { validationError } from "../../http/body.ts";
import { endpoint, json } from "../../http/endpoint.ts";
import { encodeCursor, PAGE } from "../../http/parameters.ts";
import type { Store } from "../../store/store.ts";
import type { DeliveryRow, WebhookRow } from "../../store/webhooks.ts";
import type { Deliverer } from "./deliverer.ts";
import { isLoopbackHost, readReceiverUrl } from "./post.ts";
import { verificationKeys } from "./signature.ts";

const tag = "Webhooks";
const QUEUE_ERRORS = ["webhook_not_found", "webhook_disabled", "webhook_queue_full"] as const;
/** The `Retry-After` while many tests and replays wait: each is tried within seconds. */
const QUEUE_RETRY_SECONDS = 15;

export function webhookEndpoints(
  { webhooks, events, clock }: Pick<Store, "webhooks" | "events" | "clock">,
  deliverer: Pick<Deliverer, "wake" | "wakeTests">,
  { allowsLoopback, maxOfAgent }: { allowsLoopback: boolean; maxOfAgent: number },
) {
  /** @throws {ServiceError} 410 unless the events after an id can be read */
  async function requireKept(wallet: string, after: number, atLeast: 0 | 1): Promise<void> {
    const read = await events.read(wallet, Math.max(after, 0), atLeast);
    if (after >= 0 && read.kind === "events" && read.events.length >= atLeast) return;
    throw new ServiceError("events_gone", {
      advice: `The newest event is ${read.last}.`,
      ...(read.kind === "gone" && { facts: { oldestAfter: read.oldest } }),
    });
  }

  async function queue(wallet: string, id: string, event: number | null): Promise<WebhookDelivery> {
    const { waiting: maxWaiting } = limits.webhook;
    const queued = accepted(await webhooks.queue(wallet, webhookId(id), { event, maxWaiting }));
    if (event === null) deliverer.wakeTests(wallet);
    else deliverer.wake(wallet);
    return toWireDelivery(queued);
  }

  function toWire(webhook: WebhookRow): Webhook {
    const { id, url, cursor, failures, oldKeyUntil, disabledAt } = webhook;
    const isOldUsed = oldKeyUntil !== null && oldKeyUntil > clock.now();
    return {
      id,
      url,
      createdAt: toTimestamp(webhook.createdAt),
      publicKey: verificationKeys(webhook.key).publicKey,
      oldSecretExpiresAt: isOldUsed ? toTimestamp(oldKeyUntil) : null,
      cursor,
      nextAttemptAt: disabledAt === null ? orNull(webhook.retryAt) : null,
      failures,
      disabledAt: orNull(disabledAt),
    };
  }

  const withSecret = (webhook: WebhookRow) => ({
    ...toWire(webhook),
    secret: verificationKeys(webhook.key).secret,
  });

  return [
    endpoint({
      route: "POST /api/v1/webhooks/",
      id: "addWebhook",
      description:
        "Messages are signed by Standard Webhooks (https://www.standardwebhooks.com): `webhook-id`, `webhook-timestamp` and `webhook-signature` with `v1` (HMAC with `secret`) and `v1a` (Ed25519, `publicKey`). They come at least once and in order; one that is not accepted with 2xx holds back later ones, and is tried ten times in about three days. 410 disables the webhook.",
      summary: "Add a receiver, to which the agent's events are sent; answers its secret",
      tag,
      body: json(NewWebhookRequestSchema),
      answer: WebhookWithSecretSchema,
      errors: ["webhook_exists", "webhook_limit", "events_gone"],
      async handle({ wallet, body: { url: text, after = null } }) {
        const receiver = readReceiverUrl(text, allowsLoopback);
        if (typeof receiver === "string") {
          throw validationError([{ field: "url", message: `must be ${receiver}` }]);
        }
        if (after !== null) await requireKept(wallet, after, 0);
        const { host: withPort, href } = receiver.url;
        const webhook = {
          id: crypto.randomUUID(),
          wallet,
          url: href.replace(/#.*$/, ""),
          // On this machine each port counts as a different host.
          host: isLoopbackHost(receiver.host) ? withPort : receiver.host,
          createdAt: clock.now(),
          after,
          key: randomBytes(32),
        };
        const added = await webhooks.add(webhook, maxOfAgent);
        if (added === "exists") throw new ServiceError("webhook_exists");
        if (added === "limit") {
          throw new ServiceError("webhook_limit", { advice: `An agent may have ${maxOfAgent}.` });
        }
        deliverer.wake(wallet);
        return withSecret(added);
      },
    }),
    endpoint({
      route: "GET /api/v1/webhooks/",
      id: "listWebhooks",
      description:
        "Returns all webhooks with the event that each has come to, and why the last attempt failed.",
      summary: "List the agent's webhooks, oldest first",
      tag,
      answer: WebhookListSchema,
      errors: [],
      handle: async ({ wallet }) => ({ webhooks: (await webhooks.list(wallet)).map(toWire) }),
    }),
    endpoint({
      route: "DELETE /api/v1/webhooks/:id",
      id: "deleteWebhook",
      description: "Nothing more is sent to it, also of what waits.",
      summary: "Delete a webhook and its log",
      tag,
      answer: WebhookRemovedSchema,
      errors: ["webhook_not_found"],
      async handle({ wallet, params }) {
        const url = accepted(await webhooks.remove(wallet, webhookId(params.id)));
        return { success: true as const, url };
      },
    }),
    endpoint({
      route: "GET /api/v1/webhooks/:id/deliveries",
      id: "listDeliveries",
      description: "Returns the log of the last 200 messages: event, time, HTTP status, attempts.",
      summary: "Read what was sent last, newest first",
      tag,
      query: PAGE,
      answer: WebhookDeliveryListSchema,
      errors: ["webhook_not_found"],
      async handle({ wallet, params, query }) {
        const page = await webhooks.deliveries(wallet, webhookId(params.id), query);
        const { rows, next } = accepted(page);
        return {
          deliveries: rows.map(toWireDelivery),
          ...(next !== null && { nextCursor: encodeCursor(next) }),
        };
      },
    }),
    endpoint({
      route: "POST /api/v1/webhooks/:id/test",
      id: "testWebhook",
      description:
        "Queues the message and returns its entry in the log, which later shows the outcome.",
      summary: "Send a message of the type webhook.test, once",
      tag,
      answer: WebhookDeliverySchema,
      errors: QUEUE_ERRORS,
      handle: ({ wallet, params }) => queue(wallet, params.id, null),
    }),
    endpoint({
      route: "POST /api/v1/webhooks/:id/replay",
      id: "replayWebhook",
      description:
        "With `event` that one is sent again in addition to the others. With `after` the webhook goes back or forward to it, and all events after it are sent in order.",
      summary: "Send one event again, or all events after one in their order",
      tag,
      body: json(ReplayRequestSchema),
      answer: ReplayAcceptedSchema,
      errors: ["events_gone", ...QUEUE_ERRORS],
      // The schema requires one of the two.
      async handle({ wallet, params: { id }, body: { event, after = 0 } }) {
        const own = await webhooks.list(wallet);
        accepted(own.find((webhook) => webhook.id === id) ?? null);
        if (event !== undefined) {
          await requireKept(wallet, event - 1, 1);
          return { success: true as const, delivery: await queue(wallet, id, event) };
        }
        await requireKept(wallet, after, 0);
        accepted(await webhooks.continueAfter(wallet, id, after));
        deliverer.wake(wallet);
        return { success: true as const, delivery: null };
      },
    }),
    endpoint({
      route: "POST /api/v1/webhooks/:id/rotate",
      id: "rotateWebhookSecret",
      description: "Returns the webhook with its new secret and public key.",
      summary: "Make new secrets; the old ones sign alongside them for 24 hours",
      tag,
      answer: WebhookWithSecretSchema,
      errors: ["webhook_not_found"],
      async handle({ wallet, params }) {
        const change = { key: randomBytes(32), oldUntil: clock.now() + OLD_SECRET_LIFETIME_MS };
        return withSecret(accepted(await webhooks.rotate(wallet, webhookId(params.id), change)));
      },
    }),
  ];
}

function toWireDelivery(row: DeliveryRow): WebhookDelivery {
  const { webhookId: _, createdAt, attemptedAt, ...delivery } = row;
  return { ...delivery, createdAt: toTimestamp(createdAt), attemptedAt: orNull(attemptedAt) };
}

const toTimestamp = (time: number) => new Date(time).toISOString();
const orNull = (time: number | null) => (time === null ? null : toTimestamp(time));

function webhookId(id: string): string {
  if (/^[0-9a-f-]{36}$/.test(id)) return id;
  throw new ServiceError("webhook_not_found");
}

/** @throws {ServiceError} if the store refused, or the agent has no such webhook (null) */
function accepted<T extends string | object>(
  outcome: T | null,
): Exclude<T, "not_found" | "disabled" | "full"> {
  switch (outcome) {
    case null:
    case "not_found":
      throw new ServiceError("webhook_not_found");
    case "disabled":
      throw new ServiceError("webhook_disabled");
    case "full":
      throw new ServiceError("webhook_queue_full", { retryAfterSeconds: QUEUE_RETRY_SECONDS });
  }
  return outcome as Exclude<T, "not_found" | "disabled" | "full">;
}
