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
import { endpoint, json } from "../../http/endpoint.ts";
import { PAGE } from "../../http/parameters.ts";
import type { WebhookService } from "./service.ts";

const tag = "Webhooks";
const QUEUE_ERRORS = ["webhook_not_found", "webhook_disabled", "webhook_queue_full"] as const;

export function webhookEndpoints(webhooks: WebhookService) {
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
      handle: ({ wallet, body }) => webhooks.add(wallet, body),
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
      handle: ({ wallet }) => webhooks.list(wallet),
    }),
    endpoint({
      route: "DELETE /api/v1/webhooks/:id",
      id: "deleteWebhook",
      description: "Nothing more is sent to it, also of what waits.",
      summary: "Delete a webhook and its log",
      tag,
      answer: WebhookRemovedSchema,
      errors: ["webhook_not_found"],
      handle: ({ wallet, params }) => webhooks.remove(wallet, params.id),
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
      handle: ({ wallet, params, query }) => webhooks.deliveries(wallet, params.id, query),
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
      handle: ({ wallet, params }) => webhooks.test(wallet, params.id),
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
      handle: ({ wallet, params, body }) => webhooks.replay(wallet, params.id, body),
    }),
    endpoint({
      route: "POST /api/v1/webhooks/:id/rotate",
      id: "rotateWebhookSecret",
      description: "Returns the webhook with its new secret and public key.",
      summary: "Make new secrets; the old ones sign alongside them for 24 hours",
      tag,
      answer: WebhookWithSecretSchema,
      errors: ["webhook_not_found"],
      handle: ({ wallet, params }) => webhooks.rotate(wallet, params.id),
    }),
  ];
}
