import { HOUR_MS } from "../launch-intake.ts";
import { utcDayOf } from "./server-time.ts";

/** The name of the lock under which launches are started and admitted while their number is limited. */
export const LAUNCH_STARTS = "launch starts";

const NOW = "(select ms from clock)";
const SINCE = `${NOW} - ${HOUR_MS}`;

/**
 * SQL for whether the launch `l` may be started. An agent gets at most one of an hour's starts, so that
 * its backlog takes none from others. One that has launched today is leased only to be ended.
 *
 * @param maxPerHour SQL for the number of an hour's starts
 */
export const mayStart = (maxPerHour: string) => `(
  exists (select 1 from launch_starts as own
    where own.event_id = l.event_id and own.started_at > ${SINCE})
  or exists (select 1 from launches as done
    where done.status = 'success' and done.wallet = l.wallet and done.day = ${utcDayOf(NOW)})
  or ((select count(*) from launch_starts where started_at > ${SINCE}) < ${maxPerHour}::bigint
    and l.wallet not in (select wallet from launch_starts where started_at > ${SINCE})))`;

/** Counts the launch that was `leased`; once, until it is put back in the queue. */
export const COUNT_START = `started as (
  insert into launch_starts (event_id, wallet, started_at, address, network)
  select event_id, wallet, ${NOW}, address, network from leased
  where signature is null and not exists (
    select 1 from launches as done
    where done.status = 'success' and done.wallet = leased.wallet and done.day = ${utcDayOf(NOW)})
  on conflict (event_id) do update set started_at = excluded.started_at
  where launch_starts.started_at <= ${SINCE})`;

export const dropStartsText = (time: string) =>
  `delete from launch_starts where started_at <= ${time} - ${HOUR_MS}`;
