import { DAY_MS, startOfUtcDay, utcDay } from "../../base/utc-day.ts";
import type { IntakeLimits } from "../../domain/intake-limits.ts";
import { networkOf } from "../../domain/shares.ts";
import type { BatchFacts, BatchRequest } from "../intake-batch.ts";
import { HOUR_MS } from "../launch-intake.ts";
import type { Session, Statement } from "./database.ts";
import { utcDayOf } from "./server-time.ts";

/** And numbers for the batch, in ascending order. */
export interface DrawnFacts extends BatchFacts {
  readonly drawn: readonly number[];
}

/** @returns SQL for those that have a place in the hour that ends now, as JSON */
const placesText = (time: string) => `(select coalesce(json_agg(place), '[]') from (
  select wallet, address, network from launches where status = 'pending'
  union select wallet, address, network from launch_starts
    where started_at > ${time} - ${HOUR_MS}) as place)`;

/** @returns SQL for the pending launches that have set lamports aside in this day */
const reservedText = (day: string) => `(select count(*) from launches
  where status = 'pending' and reserved_lamports is not null and reserved_day = ${day})`;

/** @returns the statement that reads `IntakeFacts`; `time` is SQL for the database's time */
export function factsStatement(time: string): Statement {
  const list = (select: string) =>
    `(select coalesce(json_agg(fact), '[]') from (${select}) as fact)`;
  return {
    name: "intake_facts",
    text: `select
      ${list(`select launches.wallet, launches.idempotency_key as key,
          launches.event_id as "eventId", launches.request_hash as "requestHash"
        from unnest($1::text[], $2::text[]) as asked (wallet, key)
        join launches on launches.wallet = asked.wallet and launches.idempotency_key = asked.key
      `)} as keys,
      ${list(`select wallet, day, (select count(*) from launches
          where launches.wallet = asked.wallet and created_at >= asked.day and created_at < asked.day + ${DAY_MS})
          as launches
        from unnest($3::text[], $4::bigint[]) as asked (wallet, day)`)} as agents,
      ${list(`select asked.address, asked.day, launches
        from unnest($5::text[], $6::text[]) as asked (address, day)
        join address_launches on address_launches.address = asked.address
          and address_launches.day = asked.day`)} as addresses,
      ${list(`select coalesce(address, network) as origin, (select count(*) from launches
          where status = 'pending' and launches.network = asked.network
            and (asked.address is null or launches.address = asked.address)) as pending,
          coalesce((select launched from address_launches where day = ${utcDayOf(time)}
            and address = coalesce(asked.address, asked.network)), 0) as launched
        from unnest($7::text[], $15::text[]) as asked (network, address)`)} as origins,
      ${list(`select ticker, event_id as "eventId", wallet, status,
          case when status in ('failed', 'rate_limited') then processed_at end as "endedAt"
        from launches where ticker = any($8::text[]) and ticker_released = 0`)} as tickers,
      coalesce((select lamports from spending where day = ${utcDayOf(time)}), 0) as "spentLamports",
      ${reservedText(utcDayOf(time))} as reserved,
      case when $9::boolean then (select count(*) from launches where status = 'pending')
        else 0 end as depth,
      ${list(`select wallet, blocked_at is not null as "isBlocked",
          allowed_at is not null as "isAllowed", invited_at is not null as "isInvited"
        from agent_rules where wallet = any($11::text[])`)} as standings,
      ${list(`select code_hash as "codeHash", max_uses - uses as left
        from invites where code_hash = any($12::text[]) and uses < max_uses
          and revoked_at is null and (expires_at is null or expires_at > ${time})`)} as invites,
      case when $13::boolean then ${placesText(time)} end as places,
      (select coalesce(json_agg(hash), '[]') from (
        select hash from images where hash = any($14::text[]) order by hash for key share) as held)
        as images,
      (select coalesce(json_agg(nextval('launches_seq_seq')), '[]') from generate_series(1, $10::int))
        as drawn`,
  };
}

/**
 * Reads what requests need to know; `isCounting` if the pending launches are to be counted, `isDrawing`
 * if each request gets a number.
 */
export async function readFacts(
  session: Session,
  statement: Statement,
  requests: readonly BatchRequest[],
  limits: IntakeLimits,
  { isCounting, isDrawing }: { isCounting: boolean; isDrawing: boolean },
): Promise<DrawnFacts> {
  const withKey = requests.filter(({ key }) => key !== null);
  const agents = Number.isFinite(limits.maxOfAgent)
    ? distinct(requests.map(({ wallet, now }) => ({ wallet, day: startOfUtcDay(now) })))
    : [];
  const withAddress = requests.flatMap(({ address, now }) =>
    address === null ? [] : [{ address, day: utcDay(now) }],
  );
  const addresses = Number.isFinite(limits.maxOfAddress) ? distinct(withAddress) : [];
  const origins = distinct(
    withAddress.flatMap(({ address }) => {
      const network = networkOf(address);
      return [
        { network, address },
        { network, address: null },
      ];
    }),
  );
  const [facts] = await session.rows<DrawnFacts>(
    statement,
    withKey.map(({ wallet }) => wallet),
    withKey.map(({ key }) => key),
    agents.map(({ wallet }) => wallet),
    agents.map(({ day }) => day),
    addresses.map(({ address }) => address),
    addresses.map(({ day }) => day),
    origins.map(({ network }) => network),
    requests.flatMap(({ ticker }) => ticker ?? []),
    isCounting,
    isDrawing ? requests.length : 0,
    [...new Set(requests.map(({ wallet }) => wallet))],
    requests.flatMap(({ inviteHash }) => inviteHash ?? []),
    Number.isFinite(limits.maxPerHour),
    [...new Set(requests.flatMap(({ imageHash }) => imageHash ?? []))],
    origins.map(({ address }) => address),
  );
  if (!facts) throw new Error("the facts are one row");
  return facts;
}

function distinct<T>(facts: readonly T[]): T[] {
  return [...new Map(facts.map((fact) => [JSON.stringify(fact), fact])).values()];
}
