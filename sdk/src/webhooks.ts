import type * as wire from "@tokenctl/shared/types";
import { isUuid } from "@tokenctl/shared/uuid";
import { InvalidArgumentError } from "./errors.ts";
import { answers } from "./internal/answers.ts";
import type { Api } from "./internal/api.ts";
import { query } from "./internal/arguments.ts";
import type { CallOptions, PageOptions } from "./options.ts";

const PATH = "/api/v1/webhooks";

/**
 * The receivers that the server sends the agent's events to, signed as Standard Webhooks specify
 * (https://www.standardwebhooks.com). Each event comes at least once and in order. The receiver
 * accepts an event with a status of 2xx. Until it does, or the server gives up after ten attempts
 * in three days, the server holds back later events.
 *
 * If the agent has no webhook `id`, methods throw {@link NotFoundError} `webhook_not_found`.
 *
 * @example
 * const { id, secret } = await client.webhooks.create({ url: "https://agent.example/hook" });
 * await client.webhooks.test(id); // sends a message of the type webhook.test
 * const { deliveries } = await client.webhooks.deliveries(id);
 * console.log(secret, deliveries[0]?.status);
 */
export class WebhooksClient {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Adds a receiver: an https URL of a public host. Store the `secret`: no other call returns it.
   *
   * @param webhook with `after`, the server also sends stored events after this id
   * @throws {ValidationError} if the URL is not allowed
   * @throws {ConflictError} `webhook_exists` or `webhook_limit`
   * @throws {EventsGoneError} if the server has deleted events after `after`
   * @example
   * const { secret } = await client.webhooks.create({ url: "https://agent.example/hook", after: 0 });
   * console.log(secret); // whsec_…, for the receiver
   */
  async create(
    webhook: { url: string; after?: number | undefined },
    options: CallOptions = {},
  ): Promise<wire.WebhookWithSecret> {
    const answer = answers.WebhookWithSecret;
    return this.#api.change({ path: PATH, body: webhook, answer }, options);
  }

  /**
   * Lists the agent's webhooks, oldest first.
   *
   * @example
   * const { webhooks } = await client.webhooks.list();
   * for (const { url, failures, disabledAt } of webhooks) console.log(url, failures, disabledAt);
   */
  async list(options: CallOptions = {}): Promise<wire.WebhookList> {
    return this.#api.get(PATH, answers.WebhookList, options);
  }

  /**
   * Deletes a webhook and its log.
   *
   * @example
   * const { webhooks } = await client.webhooks.list();
   * for (const { id, disabledAt } of webhooks) if (disabledAt) await client.webhooks.delete(id);
   */
  async delete(id: string, options: CallOptions = {}): Promise<wire.WebhookRemoved> {
    const answer = answers.WebhookRemoved;
    return this.#api.change({ method: "DELETE", path: pathOf(id), answer }, options);
  }

  /**
   * Sends a message of the type `webhook.test`, once. {@link deliveries} shows the outcome.
   *
   * @throws {ConflictError} `webhook_disabled`
   * @throws {RateLimitError} `webhook_queue_full`
   * @example
   * const { number } = await client.webhooks.test(webhookId);
   * console.log("delivery", number);
   */
  async test(id: string, options: CallOptions = {}): Promise<wire.WebhookDelivery> {
    const answer = answers.WebhookDelivery;
    return this.#api.change({ path: pathOf(id, "/test"), answer }, options);
  }

  /**
   * Reads the latest messages, newest first: all that are kept (about 200), or one page.
   *
   * @example
   * const { deliveries } = await client.webhooks.deliveries(webhookId, { limit: 10 });
   * for (const { event, httpStatus, problem } of deliveries) console.log(event, httpStatus ?? problem);
   */
  async deliveries(id: string, options: PageOptions = {}): Promise<wire.WebhookDeliveryList> {
    const { limit, cursor, ...call } = options;
    const path = pathOf(id, `/deliveries${query({ limit, cursor })}`);
    return this.#api.get(path, answers.WebhookDeliveryList, call);
  }

  /**
   * Sends one `event` again, or all events `after` one, in order, starting now. To skip an event
   * that the receiver does not accept, replay `after` its id.
   *
   * @throws {ConflictError} `webhook_disabled`
   * @throws {EventsGoneError} if the events were deleted or do not exist
   * @throws {RateLimitError} `webhook_queue_full`
   * @example
   * await client.webhooks.replay(webhookId, { event: 7 });
   * await client.webhooks.replay(webhookId, { after: 3 }); // 4, 5, 6 …
   */
  async replay(
    id: string,
    which: { event: number } | { after: number },
    options: CallOptions = {},
  ): Promise<wire.ReplayAccepted> {
    const answer = answers.ReplayAccepted;
    return this.#api.change({ path: pathOf(id, "/replay"), body: which, answer }, options);
  }

  /**
   * Makes new secrets. The previous ones keep signing for 24 hours; older ones stop at once.
   *
   * @example
   * const { secret, publicKey } = await client.webhooks.rotateSecret(webhookId);
   * console.log(secret, publicKey);
   */
  async rotateSecret(id: string, options: CallOptions = {}): Promise<wire.WebhookWithSecret> {
    const answer = answers.WebhookWithSecret;
    return this.#api.change({ path: pathOf(id, "/rotate"), answer }, options);
  }
}

/** @throws {InvalidArgumentError} if the id is not a UUID: it could lead to another endpoint */
function pathOf(id: string, rest = ""): string {
  if (isUuid(id)) return `${PATH}/${id}${rest}`;
  throw new InvalidArgumentError("The webhook's id is not a UUID", {
    hint: "Give the id that webhooks.create() returned; webhooks.list() lists them",
  });
}
