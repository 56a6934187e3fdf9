import type * as wire from "@tokenctl/shared/types";
import { answers } from "./internal/answers.ts";
import type { Api } from "./internal/api.ts";
import { query, uuidSegment } from "./internal/arguments.ts";
import type { CallOptions, PageOptions } from "./options.ts";

const PATH = "/api/v1/webhooks";

/**
 * The receivers that the server sends the agent's events to, signed as Standard Webhooks specify
 * (https://www.standardwebhooks.com). Each event comes at least once and in order. The receiver
 * accepts an event with a status of 2xx. Until it does, or the server gives up after ten attempts
 * in three days, the server holds back later events.
 *
 * If the agent has no webhook `id`, methods throw an {@link ApiError} `webhook_not_found`.
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
   * @throws {ApiError} `webhook_exists`, `webhook_limit`
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

  /** Lists the agent's webhooks, oldest first. */
  async list(options: CallOptions = {}): Promise<wire.WebhookList> {
    return this.#api.get(PATH, answers.WebhookList, options);
  }

  /** Deletes a webhook and its log. */
  async delete(id: string, options: CallOptions = {}): Promise<wire.WebhookRemoved> {
    const answer = answers.WebhookRemoved;
    return this.#api.change({ method: "DELETE", path: pathOf(id), answer }, options);
  }

  /**
   * Sends a message of the type `webhook.test`, once. {@link deliveries} shows the outcome.
   *
   * @throws {ApiError} `webhook_queue_full`
   */
  async test(id: string, options: CallOptions = {}): Promise<wire.WebhookDelivery> {
    const answer = answers.WebhookDelivery;
    return this.#api.change({ path: pathOf(id, "/test"), answer }, options);
  }

  /** Reads the latest messages, newest first: all that are kept (about 200), or one page. */
  async deliveries(id: string, options: PageOptions = {}): Promise<wire.WebhookDeliveryList> {
    const { limit, cursor, ...call } = options;
    const path = pathOf(id, `/deliveries${query({ limit, cursor })}`);
    return this.#api.get(path, answers.WebhookDeliveryList, call);
  }
}

const pathOf = (id: string, rest = "") => `${PATH}/${uuidSegment(id)}${rest}`;
