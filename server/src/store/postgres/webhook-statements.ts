import type { WebhookRow } from "../webhook-store.ts";
import type { Statement } from "./database.ts";

const WEBHOOK = `id, wallet, url, host, created_at as "createdAt", key, old_key as "oldKey",
  old_key_until as "oldKeyUntil", cursor, head, retry_at as "retryAt", failures, pace,
  disabled_at as "disabledAt"`;

const DELIVERY = `number, kind, event, status, attempts, created_at as "createdAt",
  attempted_at as "attemptedAt", http_status as "httpStatus", problem`;

export interface StoredWebhook extends WebhookRow {
  readonly waiting: number;
}

const statement = (name: string, text: string): Statement => ({ name: `webhooks_${name}`, text });

export const OF_WALLET = statement(
  "of_wallet",
  `select ${WEBHOOK}, waiting from webhooks where wallet = $1 order by created_at, id`,
);
export const FIND = statement(
  "find",
  "select 1 as one from webhooks where wallet = $1 and id = $2",
);
export const LOCK = statement(
  "lock",
  `select ${WEBHOOK}, waiting from webhooks where wallet = $1 and id = $2 for update`,
);
export const LOCK_HELD = statement(
  "lock_held",
  `select ${WEBHOOK}, waiting from webhooks where id = $1 and lease_id = $2 for update`,
);
export const INSERT = statement(
  "insert",
  `insert into webhooks (id, wallet, url, host, created_at, key, cursor) values ($1, $2, $3, $4, $5, $6,
     coalesce($7::bigint, (select last_id from event_counters where wallet = $2), 0))`,
);
export const REMOVE = statement(
  "remove",
  "delete from webhooks where wallet = $1 and id = $2 returning url",
);
export const REMOVE_LOG = statement(
  "remove_log",
  "delete from webhook_deliveries where webhook_id = $1",
);
export const ROTATE = statement(
  "rotate",
  `update webhooks set old_key = key, old_key_until = $4, key = $3
   where wallet = $1 and id = $2 returning ${WEBHOOK}, waiting`,
);
export const ADD_WAITING = statement(
  "add_waiting",
  "update webhooks set waiting = waiting + $2 where id = $1",
);
export const NEXT_NUMBER = statement(
  "next_number",
  "update webhooks set last_number = last_number + 1 where id = $1 returning last_number as number",
);
export const FORGET = statement(
  "forget",
  "delete from webhook_deliveries where webhook_id = $1 and number <= $2 and status <> 'pending'",
);
export const GIVE_UP = statement(
  "give_up",
  `update webhook_deliveries set status = 'failed'
   where webhook_id = $1 and number = $2 and status = 'pending'`,
);
export const SET_HEAD = statement(
  "set_head",
  `update webhooks set cursor = $2, head = $3, retry_at = $4 where id = $1
   returning ${WEBHOOK}, waiting`,
);
export const LOG = statement(
  "log",
  `select ${DELIVERY} from webhook_deliveries where webhook_id = $1 and number < $2
   order by number desc limit $3`,
);
export const FIRST_WAITING = statement(
  "first_waiting",
  `select number from webhook_deliveries
   where webhook_id = $1 and status = 'pending' and kind = $2 order by number limit 1`,
);
export const NEXT_EVENT = statement(
  "next_event",
  `select (select min(id) from events where wallet = $1 and id > $2) as event, last_id as last
   from event_counters where wallet = $1`,
);
export const SETTLE = statement(
  "settle",
  `update webhook_deliveries set status = $3, http_status = $4, problem = $5
   where webhook_id = $1 and number = $2 and status = 'pending'`,
);
export const UNCOUNT = statement(
  "uncount",
  "update webhook_deliveries set attempts = attempts - 1 where webhook_id = $1 and number = $2",
);

/** Those that need the database's time. */
export function statementsAt(time: string) {
  const due = (name: string, wallets: string): readonly [Statement, Statement] => {
    const text = `with clock as materialized (select ${time} as ms)
      select ${WEBHOOK}, waiting from webhooks as webhook
      where disabled_at is null
        and (lease_id is null or lease_until <= (select ms from clock)
          or lease_until > (select ms from clock) + $1::bigint)
        and case when waiting > 0 and exists (select 1 from webhook_deliveries
            where webhook_id = webhook.id and status = 'pending' and kind = $5::text) then true
          when $5::text = 'test' then false
          when head is not null then retry_at <= (select ms from clock)
            or retry_at > (select ms from clock) + $2::bigint
          else cursor < coalesce(
            (select last_id from event_counters where wallet = webhook.wallet), 0) end
        and pace <> all ($3::text[])
        and wallet <> all ($6::text[]) and pace || ' ' || host <> all ($7::text[]) ${wallets}
      order by lease_until nulls first, id limit $4`;
    return [
      statement(name, text),
      statement(`${name}_locked`, `${text} for update of webhook skip locked`),
    ];
  };
  return {
    dueOfAll: due("due", ""),
    dueOfOpen: due("due_open", "and (head is not null or waiting > 0)"),
    dueOfWallets: due("due_of_wallets", "and wallet = any ($8::text[])"),
    addDelivery: statement(
      "add_delivery",
      `insert into webhook_deliveries (webhook_id, wallet, number, kind, event, created_at)
       values ($1, $2, $3, $4, $5, ${time}) returning ${DELIVERY}`,
    ),
    attempt: statement(
      "attempt",
      `update webhook_deliveries set attempts = attempts + 1, attempted_at = ${time}
       where webhook_id = $1 and number = $2 returning ${DELIVERY}`,
    ),
    hold: statement(
      "hold",
      `update webhooks set lease_id = $2, lease_until = ${time} + $3 where id = $1
       returning ${WEBHOOK}, waiting`,
    ),
    retry: statement("retry", `update webhooks set retry_at = ${time} + $2 where id = $1`),
    free: statement(
      "free",
      // The time stays: it says who was tried longest ago.
      `update webhooks set lease_id = null, lease_until = ${time}, failures = $2,
         pace = $4, disabled_at = case when $3 then coalesce(disabled_at, ${time}) else disabled_at end
       where id = $1`,
    ),
  };
}
