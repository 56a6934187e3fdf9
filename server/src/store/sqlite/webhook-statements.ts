import type { DeliveryRow, WebhookRow } from "../webhook-store.ts";
import type { Database } from "./database.ts";

const WEBHOOK = `id, wallet, url, host, created_at as createdAt, key, old_key as oldKey,
  old_key_until as oldKeyUntil, cursor, head, retry_at as retryAt, failures, pace,
  disabled_at as disabledAt`;

const DELIVERY = `number, kind, event, status, attempts, created_at as createdAt,
  attempted_at as attemptedAt, http_status as httpStatus, problem`;

export interface StoredWebhook extends WebhookRow {
  readonly waiting: number;
}

type Due = {
  readonly now: number;
  readonly longestLease: number;
  readonly longestPause: number;
  readonly kind: "test" | "replay";
  /** Lists in JSON. */
  readonly fullWallets: string;
  readonly fullPaces: string;
  readonly fullHosts: string;
  readonly limit: number;
};

/** @param wallets a further condition */
function dueText(wallets: string): string {
  return `select ${WEBHOOK}, waiting from webhooks as webhook
    where disabled_at is null
      and (lease_id is null or lease_until <= $now or lease_until > $longestLease)
      and case when waiting > 0 and exists (select 1 from webhook_deliveries
          where webhook_id = webhook.id and status = 'pending' and kind = $kind) then true
        when $kind = 'test' then false
        when head is not null then retry_at <= $now or retry_at > $longestPause
        else cursor < coalesce(
          (select last_id from event_counters where wallet = webhook.wallet), 0) end
      and pace not in (select value from json_each($fullPaces))
      and wallet not in (select value from json_each($fullWallets))
      and pace || ' ' || host not in (select value from json_each($fullHosts)) ${wallets}
    order by lease_until nulls first, id limit $limit`;
}

export function prepareWebhooks({ $client: client }: Database) {
  return {
    ofWallet: client.query<StoredWebhook, [string]>(
      `select ${WEBHOOK}, waiting from webhooks where wallet = ? order by created_at, id`,
    ),
    find: client.query<StoredWebhook, [string, string]>(
      `select ${WEBHOOK}, waiting from webhooks where wallet = ? and id = ?`,
    ),
    lastEvent: client.query<{ last: number }, [string]>(
      "select last_id as last from event_counters where wallet = ?",
    ),
    insert: client.query(
      `insert into webhooks (id, wallet, url, host, created_at, key, cursor)
       values ($id, $wallet, $url, $host, $createdAt, $key, $cursor)`,
    ),
    remove: client.query<{ url: string }, [string, string]>(
      "delete from webhooks where wallet = ? and id = ? returning url",
    ),
    removeLog: client.query("delete from webhook_deliveries where webhook_id = ?"),
    rotate: client.query<
      StoredWebhook,
      { wallet: string; id: string; key: Buffer; oldUntil: number }
    >(
      `update webhooks set old_key = key, old_key_until = $oldUntil, key = $key
       where wallet = $wallet and id = $id returning ${WEBHOOK}, waiting`,
    ),
    addWaiting: client.query<unknown, [number, string]>(
      "update webhooks set waiting = waiting + ? where id = ?",
    ),
    nextNumber: client.query<{ number: number }, [string]>(
      "update webhooks set last_number = last_number + 1 where id = ? returning last_number as number",
    ),
    addDelivery: client.query<
      DeliveryRow,
      {
        id: string;
        wallet: string;
        number: number;
        kind: string;
        event: number | null;
        now: number;
      }
    >(
      `insert into webhook_deliveries (webhook_id, wallet, number, kind, event, created_at)
       values ($id, $wallet, $number, $kind, $event, $now) returning ${DELIVERY}`,
    ),
    forget: client.query<unknown, [string, number]>(
      "delete from webhook_deliveries where webhook_id = ? and number <= ? and status <> 'pending'",
    ),
    giveUp: client.query<unknown, [string, number]>(
      `update webhook_deliveries set status = 'failed'
       where webhook_id = ? and number = ? and status = 'pending'`,
    ),
    setHead: client.query<
      StoredWebhook,
      { id: string; cursor: number; head: number | null; retryAt: number | null }
    >(
      `update webhooks set cursor = $cursor, head = $head, retry_at = $retryAt where id = $id
       returning ${WEBHOOK}, waiting`,
    ),
    log: client.query<DeliveryRow, [string, number, number]>(
      `select ${DELIVERY} from webhook_deliveries where webhook_id = ? and number < ?
       order by number desc limit ?`,
    ),
    dueOfOpen: client.query<StoredWebhook, Due>(dueText("and (head is not null or waiting > 0)")),
    dueOfAll: client.query<StoredWebhook, Due>(dueText("")),
    dueOfWallets: client.query<StoredWebhook, Due & { wallets: string }>(
      dueText("and wallet in (select value from json_each($wallets))"),
    ),
    firstWaiting: client.query<{ number: number }, [string, string]>(
      `select number from webhook_deliveries
       where webhook_id = ? and status = 'pending' and kind = ? order by number limit 1`,
    ),
    nextEvent: client.query<
      { event: number | null; last: number },
      { wallet: string; cursor: number }
    >(
      `select (select min(id) from events where wallet = $wallet and id > $cursor) as event,
         last_id as last from event_counters where wallet = $wallet`,
    ),
    attempt: client.query<DeliveryRow, { id: string; number: number; now: number }>(
      `update webhook_deliveries set attempts = attempts + 1, attempted_at = $now
       where webhook_id = $id and number = $number returning ${DELIVERY}`,
    ),
    hold: client.query<StoredWebhook, { id: string; leaseId: string; until: number }>(
      `update webhooks set lease_id = $leaseId, lease_until = $until where id = $id
       returning ${WEBHOOK}, waiting`,
    ),
    held: client.query<StoredWebhook, [string, string]>(
      `select ${WEBHOOK}, waiting from webhooks where id = ? and lease_id = ?`,
    ),
    settle: client.query(
      `update webhook_deliveries set status = $status, http_status = $httpStatus, problem = $problem
       where webhook_id = $id and number = $number and status = 'pending'`,
    ),
    uncount: client.query<unknown, [string, number]>(
      `update webhook_deliveries set attempts = attempts - 1 where webhook_id = ? and number = ?`,
    ),
    free: client.query(
      // The time stays: it says who was tried longest ago.
      `update webhooks set lease_id = null, lease_until = $now, failures = $failures,
         pace = $pace, disabled_at = coalesce(disabled_at, $disabledAt) where id = $id`,
    ),
    freeAll: client.query("update webhooks set lease_id = null"),
  };
}
