import { randomBytes } from "node:crypto";
import {
  NewWebhookRequestSchema,
  WebhookDeliveryListSchema,
  WebhookDeliverySchema,
  WebhookListSchema,
  WebhookRemovedSchema,
  WebhookWithSecretSchema,
} from "@tokenctl/shared/contract/webhook";
import { limits } from "@tokenctl/shared/limits";
import type { Webhook, WebhookDelivery } from "@tokenctl/shared/types";
import { ServiceError } from "../../base/service-error.ts";
import type { DayPlaces } from "../../http/admit.ts";
import { validationError } from "../../http/body.ts";
import { endpoint, json } from "../../http/endpoint.ts";
import { encodeCursor, PAGE } from "../../http/parameters.ts";
import type { Store } from "../../store/store.ts";
import type { DeliveryRow, WebhookRow } from "../../store/webhooks.ts";
import type { Deliverer } from "./deliverer.ts";
import { isLoopbackHost, readReceiverUrl } from "./post.ts";
import { secretOf } from "./signature.ts";

const tag = "Webhooks";
/** The `Retry-After` while many tests wait: each is tried within seconds. */
const QUEUE_RETRY_SECONDS = 15;

export function webhookEndpoints(
  { webhooks, events, clock }: Store,
  deliverer: Deliverer,
  of: { allowsLoopback: boolean; maxOfAgent: number; takeDayPlace: DayPlaces },
) {
  /** @throws {ServiceError} 410 unless the events after an id can be read */
  async function requireKept(wallet: string, after: number): Promise<void> {
    const read = await events.read(wallet, after, 0);
    if (read.kind === "events") return;
    throw new ServiceError("events_gone", {
      advice: `The newest event is ${read.last}.`,
      facts: { oldestAfter: read.oldest },
    });
  }

  function toWire(webhook: WebhookRow): Webhook {
    const { id, url, cursor, failures, retryAt } = webhook;
    const createdAt = toTimestamp(webhook.createdAt);
    return { id, url, createdAt, cursor, nextAttemptAt: orNull(retryAt), failures };
  }

  return [
    endpoint({
      route: "POST /api/v1/webhooks/",
      id: "addWebhook",
      description:
        "Messages are signed as Standard Webhooks specifies (https://www.standardwebhooks.com): `webhook-id`, `webhook-timestamp` and `webhook-signature` with `v1` (HMAC with `secret`). They come at least once and in order; one that is not accepted with 2xx holds back later ones, and is tried ten times in about three days.",
      summary: "Add a receiver, to which the agent's events are sent; answers its secret",
      tag,
      body: json(NewWebhookRequestSchema),
      answer: WebhookWithSecretSchema,
      errors: ["webhook_exists", "webhook_limit", "events_gone", "share_used"],
      takesAddress: true,
      async handle({ wallet, address, body: { url: text, after = null } }) {
        const receiver = readReceiverUrl(text, of.allowsLoopback);
        if (typeof receiver === "string") {
          throw validationError([{ field: "url", message: `must be ${receiver}` }]);
        }
        if (after !== null) await requireKept(wallet, after);
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
        const place = of.takeDayPlace(wallet, address);
        const added = await webhooks.add(webhook, of.maxOfAgent);
        if (typeof added === "string") place.endsAt = 0;
        if (added === "exists") throw new ServiceError("webhook_exists");
        if (added === "limit") {
          throw new ServiceError("webhook_limit", {
            advice: `An agent may have ${of.maxOfAgent}.`,
          });
        }
        deliverer.wake(wallet);
        return { ...toWire(added), secret: secretOf(added.key) };
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
        const url = await known(params.id, (id) => webhooks.remove(wallet, id));
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
        const read = (id: string) => webhooks.deliveries(wallet, id, query);
        const { rows, next } = await known(params.id, read);
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
      errors: ["webhook_not_found", "webhook_queue_full"],
      async handle({ wallet, params }) {
        const { waiting } = limits.webhook;
        const queued = await known(params.id, (id) => webhooks.test(wallet, id, waiting));
        if (queued === "full") {
          throw new ServiceError("webhook_queue_full", { retryAfterSeconds: QUEUE_RETRY_SECONDS });
        }
        deliverer.wake(wallet);
        return toWireDelivery(queued);
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

/** @throws {ServiceError} if the agent has no such webhook (null) */
async function known<T>(id: string, find: (id: string) => Promise<T | null>): Promise<T> {
  const found = /^[0-9a-f-]{36}$/.test(id) ? await find(id) : null;
  if (found !== null) return found;
  throw new ServiceError("webhook_not_found");
}
