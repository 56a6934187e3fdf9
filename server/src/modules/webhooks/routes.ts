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
import { Elysia } from "elysia";
import type { bearerPlugin } from "../../http/bearer.ts";
import { readJson } from "../../http/body.ts";
import { operation } from "../../http/openapi.ts";
import { parsePage } from "../../http/paging.ts";
import { parser } from "../../http/validation.ts";
import type { WebhookService } from "./service.ts";

const parseNew = parser(NewWebhookRequestSchema);
const parseReplay = parser(ReplayRequestSchema);

const TAG = "Webhooks";
const QUEUE_ERRORS = ["webhook_not_found", "webhook_disabled", "webhook_queue_full"] as const;

export function webhookRoutes(webhooks: WebhookService, bearer: ReturnType<typeof bearerPlugin>) {
  return new Elysia({ prefix: "/api/v1/webhooks" })
    .use(bearer)
    .post(
      "/",
      async ({ request, wallet }) => webhooks.add(wallet, parseNew(await readJson(request))),
      operation({
        id: "addWebhook",
        description:
          "Messages are signed by Standard Webhooks (https://www.standardwebhooks.com): `webhook-id`, `webhook-timestamp` and `webhook-signature` with `v1` (HMAC with `secret`) and `v1a` (Ed25519, `publicKey`). They come at least once and in order; one that is not accepted with 2xx holds back later ones, and is tried ten times in about three days. 410 disables the webhook.",
        summary: "Add a receiver, to which the agent's events are sent; answers its secret",
        tag: TAG,
        body: NewWebhookRequestSchema,
        answer: WebhookWithSecretSchema,
        errors: ["webhook_exists", "webhook_limit", "events_gone"],
      }),
    )
    .get(
      "/",
      ({ wallet }) => webhooks.list(wallet),
      operation({
        id: "listWebhooks",
        description:
          "Returns all webhooks with the event that each has come to, and why the last attempt failed.",
        summary: "List the agent's webhooks, oldest first",
        tag: TAG,
        answer: WebhookListSchema,
        errors: [],
      }),
    )
    .delete(
      "/:id",
      ({ wallet, params }) => webhooks.remove(wallet, params.id),
      operation({
        id: "deleteWebhook",
        description: "Nothing more is sent to it, also of what waits.",
        summary: "Delete a webhook and its log",
        tag: TAG,
        answer: WebhookRemovedSchema,
        errors: ["webhook_not_found"],
      }),
    )
    .get(
      "/:id/deliveries",
      ({ wallet, params, query }) => webhooks.deliveries(wallet, params.id, parsePage(query)),
      operation({
        id: "listDeliveries",
        description:
          "Returns the log of the last 200 messages: event, time, HTTP status, attempts.",
        summary: "Read what was sent last, newest first",
        tag: TAG,
        query: ["limit", "cursor"],
        answer: WebhookDeliveryListSchema,
        errors: ["webhook_not_found"],
      }),
    )
    .post(
      "/:id/test",
      ({ wallet, params }) => webhooks.test(wallet, params.id),
      operation({
        id: "testWebhook",
        description:
          "Queues the message and returns its entry in the log, which says later what became of it.",
        summary: "Send a message of the type webhook.test, once",
        tag: TAG,
        answer: WebhookDeliverySchema,
        errors: QUEUE_ERRORS,
      }),
    )
    .post(
      "/:id/replay",
      async ({ request, wallet, params }) =>
        webhooks.replay(wallet, params.id, parseReplay(await readJson(request))),
      operation({
        id: "replayWebhook",
        description:
          "With `event` that one is sent once more beside the others. With `after` the webhook goes back or forward to it, and all events after it are sent in order.",
        summary: "Send one event once more, or all events after one in their order",
        tag: TAG,
        body: ReplayRequestSchema,
        answer: ReplayAcceptedSchema,
        errors: ["events_gone", ...QUEUE_ERRORS],
      }),
    )
    .post(
      "/:id/rotate",
      ({ wallet, params }) => webhooks.rotate(wallet, params.id),
      operation({
        id: "rotateWebhookSecret",
        description: "Returns the webhook with its new secret and public key.",
        summary: "Make new secrets; the old ones sign beside them for 24 hours",
        tag: TAG,
        answer: WebhookWithSecretSchema,
        errors: ["webhook_not_found"],
      }),
    );
}
