import type { webhookDeliveries, webhooks } from "./schema.ts";

/** Deliveries of a webhook that are kept: the log that its agent reads. */
export const DELIVERY_LOG = 200;

/** Beyond any pause between two attempts, in milliseconds: a later time means that the clock was set back. */
export const LONGEST_PAUSE_MS = 2 * 86_400_000;

/** A receiver that an agent has named. */
export type WebhookRow = Readonly<typeof webhooks.$inferSelect>;

/** How the last attempt of a webhook ended: accepted in time, or late or not at all; `new` before the first. */
export type WebhookPace = WebhookRow["pace"];

export type NewWebhook = Pick<WebhookRow, "id" | "wallet" | "url" | "host" | "createdAt"> & {
  /** 32 bytes: the secrets come from it. */
  readonly key: Uint8Array;
  /** The id of the event after which it begins; null for those to come. */
  readonly after: number | null;
};

/**
 * A message to a receiver, by its `kind`:
 * - `event`: one of the events that are sent in their order; tried until it is accepted or given up.
 * - `replay`: an event that the agent asked for again; tried once.
 * - `test`: tried once, and about no event.
 */
export type DeliveryRow = Readonly<typeof webhookDeliveries.$inferSelect>;

/** A delivery whose attempt begins, held by one server. No other attempt of its webhook is under way. */
export interface LeasedDelivery {
  readonly leaseId: string;
  readonly webhook: WebhookRow;
  readonly delivery: DeliveryRow;
}

/** Which webhooks to look at. */
export interface DueWebhooks {
  /**
   * - wallets: theirs.
   * - `open`: those with a delivery that waits; of many webhooks few have one.
   * - `all`: also those whose wallet has events without a delivery yet. It reads them all.
   */
  readonly which: readonly string[] | "open" | "all";
  /** Whether to begin tests, or what else is due. */
  readonly tests: boolean;
  readonly full: {
    readonly wallets: readonly string[];
    readonly paces: readonly WebhookPace[];
    /** A host's webhooks of one pace: `slow hooks.example`. */
    readonly hosts: readonly `${WebhookPace} ${string}`[];
  };
  readonly limit: number;
  /** Called with each that is found, maybe again: whether to begin its attempt. */
  readonly admits: (webhook: WebhookRow) => boolean;
}

export interface AttemptOutcome {
  readonly httpStatus: number | null;
  readonly problem: string | null;
  readonly isDelivered: boolean;
  readonly isSlow: boolean;
  /** Milliseconds until the next attempt; null if there is none. */
  readonly retryInMs: number | null;
  /** Whether to send nothing more to this receiver. */
  readonly disables: boolean;
}

export type AddWebhookOutcome = "added" | "exists" | "limit";
export type QueueOutcome = DeliveryRow | "not_found" | "disabled" | "full";
