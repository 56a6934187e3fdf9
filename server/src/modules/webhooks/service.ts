import { randomBytes } from "node:crypto";
import { limits, OLD_SECRET_LIFETIME_MS } from "@tokenctl/shared/limits";
import type {
  NewWebhookRequest,
  ReplayAccepted,
  ReplayRequest,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
  WebhookRemoved,
  WebhookWithSecret,
} from "@tokenctl/shared/types";
import { ServiceError } from "../../base/service-error.ts";
import { validationError } from "../../http/body.ts";
import { encodeCursor, type PageRequest } from "../../http/parameters.ts";
import type { Store } from "../../store/store.ts";
import type { DeliveryRow, WebhookRow } from "../../store/webhooks.ts";
import { isLoopbackHost, type ReceiverPolicy, readReceiverUrl } from "./post.ts";
import { verificationKeys } from "./signature.ts";

const newKey = () => randomBytes(32);
/** The `Retry-After` while many tests and replays wait: each is tried within some seconds. */
const QUEUE_RETRY_SECONDS = 15;

export interface WebhookServiceDeps {
  readonly store: Pick<Store, "webhooks" | "events" | "clock">;
  readonly policy: ReceiverPolicy;
  readonly maxOfAgent: number;
  readonly onDue: (wallet: string, what: "test" | "event") => void;
}

export class WebhookService {
  constructor(private readonly deps: WebhookServiceDeps) {}

  /** @throws {ServiceError} 400, 409, 410 */
  async add(wallet: string, request: NewWebhookRequest): Promise<WebhookWithSecret> {
    const { store, policy, maxOfAgent } = this.deps;
    const receiver = readReceiverUrl(request.url, policy);
    if (typeof receiver === "string") {
      throw validationError([{ field: "url", message: `must be ${receiver}` }]);
    }
    const { after = null } = request;
    if (after !== null) await this.#requireKept(wallet, after, 0);
    const id = crypto.randomUUID();
    const createdAt = store.clock.now();
    const { host: port, href } = receiver.url;
    // On this machine each port counts as another host.
    const host = isLoopbackHost(receiver.host) ? port : receiver.host;
    const url = href.replace(/#.*$/, "");
    const webhook = { id, wallet, url, host, createdAt, after, key: newKey() };
    const added = await store.webhooks.add(webhook, maxOfAgent);
    if (added === "exists") throw new ServiceError("webhook_exists");
    if (added === "limit") {
      throw new ServiceError("webhook_limit", { advice: `An agent may have ${maxOfAgent}.` });
    }
    this.deps.onDue(wallet, "event");
    return this.#withSecret(added);
  }

  async list(wallet: string): Promise<WebhookList> {
    const webhooks = await this.deps.store.webhooks.list(wallet);
    return { webhooks: webhooks.map((webhook) => this.#toWire(webhook)) };
  }

  async remove(wallet: string, id: string): Promise<WebhookRemoved> {
    const url = await this.deps.store.webhooks.remove(wallet, webhookId(id));
    if (url === null) throw notFound();
    return { success: true, url };
  }

  /** The old ones sign beside them for 24 hours. @throws {ServiceError} 404 */
  async rotate(wallet: string, id: string): Promise<WebhookWithSecret> {
    const { webhooks, clock } = this.deps.store;
    const change = { key: newKey(), oldUntil: clock.now() + OLD_SECRET_LIFETIME_MS };
    const rotated = await webhooks.rotate(wallet, webhookId(id), change);
    if (!rotated) throw notFound();
    return this.#withSecret(rotated);
  }

  test(wallet: string, id: string): Promise<WebhookDelivery> {
    return this.#queue(wallet, id, null);
  }

  /** @throws {ServiceError} 400, 404, 409, 410, 429 */
  async replay(wallet: string, id: string, request: ReplayRequest): Promise<ReplayAccepted> {
    // One of the two is there.
    const { event, after = 0 } = request;
    const own = await this.deps.store.webhooks.list(wallet);
    if (!own.some((webhook) => webhook.id === id)) throw notFound();
    if (event !== undefined) {
      await this.#requireKept(wallet, event - 1, 1);
      return { success: true, delivery: await this.#queue(wallet, id, event) };
    }
    await this.#requireKept(wallet, after, 0);
    const changed = await this.deps.store.webhooks.continueAfter(wallet, webhookId(id), after);
    if (typeof changed === "string") throw refusal(changed);
    this.deps.onDue(wallet, "event");
    return { success: true, delivery: null };
  }

  async deliveries(
    wallet: string,
    id: string,
    { limit, before }: PageRequest,
  ): Promise<WebhookDeliveryList> {
    const { webhooks } = this.deps.store;
    // One more than asked for says whether there is a next page.
    const range = { before, limit: (limit ?? 1_000) + 1 };
    const rows = await webhooks.deliveries(wallet, webhookId(id), range);
    if (!rows) throw notFound();
    const page = limit === null ? rows : rows.slice(0, limit);
    const last = page.at(-1);
    return {
      deliveries: page.map(toWireDelivery),
      ...(last && rows.length > page.length && { nextCursor: encodeCursor(last.number) }),
    };
  }

  async #queue(wallet: string, id: string, event: number | null): Promise<WebhookDelivery> {
    const { waiting } = limits.webhook;
    const { webhooks } = this.deps.store;
    const queued = await webhooks.queue(wallet, webhookId(id), { event, maxWaiting: waiting });
    if (typeof queued === "string") throw refusal(queued);
    this.deps.onDue(wallet, event === null ? "test" : "event");
    return toWireDelivery(queued);
  }

  /** @throws {ServiceError} 410 unless the events after an id can be read */
  async #requireKept(wallet: string, after: number, atLeast: 0 | 1): Promise<void> {
    const read = await this.deps.store.events.read(wallet, Math.max(after, 0), atLeast);
    if (after >= 0 && read.kind === "events" && read.events.length >= atLeast) return;
    throw new ServiceError("events_gone", {
      advice: `The newest event is ${read.last}.`,
      ...(read.kind === "gone" && { facts: { oldestAfter: read.oldest } }),
    });
  }

  #withSecret(webhook: WebhookRow): WebhookWithSecret {
    return { ...this.#toWire(webhook), secret: verificationKeys(webhook.key).secret };
  }

  #toWire(webhook: WebhookRow): Webhook {
    const { id, url, cursor, failures, oldKeyUntil, disabledAt } = webhook;
    const isOldUsed = oldKeyUntil !== null && oldKeyUntil > this.deps.store.clock.now();
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
}

function toWireDelivery(row: DeliveryRow): WebhookDelivery {
  const { webhookId: _, createdAt, attemptedAt, ...delivery } = row;
  return { ...delivery, createdAt: toTimestamp(createdAt), attemptedAt: orNull(attemptedAt) };
}

const toTimestamp = (time: number) => new Date(time).toISOString();
const orNull = (time: number | null) => (time === null ? null : toTimestamp(time));

function webhookId(id: string): string {
  if (/^[0-9a-f-]{36}$/.test(id)) return id;
  throw notFound();
}

function notFound(): ServiceError {
  return new ServiceError("webhook_not_found");
}

function refusal(outcome: "not_found" | "disabled" | "full"): ServiceError {
  if (outcome === "not_found") return notFound();
  return outcome === "disabled"
    ? new ServiceError("webhook_disabled")
    : new ServiceError("webhook_queue_full", { retryAfterSeconds: QUEUE_RETRY_SECONDS });
}
