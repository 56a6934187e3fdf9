import type { EventType } from "../../domain/event-type.ts";

/**
 * SQL that adds events in the statement of the change that they tell. The row of a wallet's counter is
 * locked until the commit, so that a wallet's events commit in the order of their ids. It is the last
 * row that a transaction locks.
 *
 * @param source a `with` query of columns `wallet`, `at`, `place` (the order of a wallet's events),
 * `event_id`, `ticker`, `token_mint`, `transaction_hash` and `other_mints`
 * @returns further `with` queries
 */
export function addEvents(type: EventType, source: string): string {
  return `counted as (
      insert into event_counters as counter (wallet, last_id, last_at)
      select wallet, count(*), max(at) from ${source} group by wallet order by wallet
      on conflict (wallet) do update set last_id = counter.last_id + excluded.last_id,
        last_at = greatest(counter.last_at, excluded.last_at)
      returning wallet, last_id, last_at),
    added as (
      insert into events
        (wallet, id, type, created_at, event_id, ticker, token_mint, transaction_hash, other_mints)
      select wallet, last_id + 1 - row_number() over (partition by wallet order by place desc),
        '${type}', last_at, event_id, ticker, token_mint, transaction_hash, other_mints
      from ${source} join counted using (wallet))`;
}
