/** Deliveries of a webhook that are kept: the log that its agent reads. */
export const DELIVERY_LOG = 200;

/** Beyond any pause between two attempts, in milliseconds: a later time means that the clock was set back. */
export const LONGEST_PAUSE_MS = 2 * 86_400_000;

/** How the last attempt of a webhook ended: accepted in time, or late or not at all; `new` before the first. */
export type WebhookPace = "new" | "prompt" | "slow";

/** A receiver that an agent has named. */
export interface WebhookRow {
  /** UUID. */
  readonly id: string;
  readonly wallet: string;
  readonly url: string;
  /** The URL's host: what its receiver's share counts for. */
  readonly host: string;
  readonly createdAt: number;
  /** 32 bytes: the secrets come from it. */
  readonly key: Uint8Array;
  /** The key before it; signs beside it until `oldKeyUntil`. */
  readonly oldKey: Uint8Array | null;
  readonly oldKeyUntil: number | null;
  /** The id of the last event that has, or had, a delivery. */
  readonly cursor: number;
  /** The number of the delivery that the receiver has to accept before later events are sent; null for none. */
  readonly head: number | null;
  /** When the head is tried next; null without one. */
  readonly retryAt: number | null;
  /** Attempts that failed since the last that did not. */
  readonly failures: number;
  readonly pace: WebhookPace;
  /** Since when nothing is sent any more; null while it is. */
  readonly disabledAt: number | null;
}

export type NewWebhook = Pick<
  WebhookRow,
  "id" | "wallet" | "url" | "host" | "createdAt" | "key"
> & {
  /** The id of the event after which it begins; null for those to come. */
  readonly after: number | null;
};

/**
 * - `event`: one of the events that are sent in their order; tried until it is accepted or given up.
 * - `replay`: an event that the agent asked for again; tried once.
 * - `test`: tried once, and about no event.
 */
export type DeliveryKind = "event" | "replay" | "test";

/** A message to a receiver. */
export interface DeliveryRow {
  /** 1, 2, 3 … for each webhook. */
  readonly number: number;
  readonly kind: DeliveryKind;
  /** The event's id; null for a test. */
  readonly event: number | null;
  readonly status: "pending" | "delivered" | "failed";
  /** Counted when an attempt begins, so that a crash counts. */
  readonly attempts: number;
  readonly createdAt: number;
  readonly attemptedAt: number | null;
  /** Of the last answer; null if there was none. */
  readonly httpStatus: number | null;
  /** Why the last attempt had no answer; null if it had one. */
  readonly problem: string | null;
}

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
  /** What to leave out. */
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

/** The outcome of an attempt. */
export interface AttemptOutcome {
  readonly httpStatus: number | null;
  readonly problem: string | null;
  readonly isDelivered: boolean;
  /** Whether the answer took long. */
  readonly isSlow: boolean;
  /** Milliseconds until the next attempt; null if there is none. */
  readonly retryInMs: number | null;
  /** Whether to send nothing more to this receiver. */
  readonly disables: boolean;
}

export type AddWebhookOutcome = "added" | "exists" | "limit";
export type QueueOutcome = DeliveryRow | "not_found" | "disabled" | "full";

/** A webhook as its table has it. */
export interface StoredWebhook extends WebhookRow {
  /** Tests and replays that wait. */
  readonly waiting: number;
}

/** Without what only the statements need. */
export function toWebhook({ waiting: _, ...webhook }: StoredWebhook): WebhookRow {
  return webhook;
}
