import { ServiceError } from "../../base/service-error.ts";
import { DAY_MS, utcDay } from "../../base/utc-day.ts";
import { maxPendingOf } from "../../domain/intake.ts";
import type { IntakeLimits } from "../../domain/intake-limits.ts";
import { networkOf } from "../../domain/shares.ts";
import { type BatchRequest, IntakeBatch } from "../intake-batch.ts";
import { LAUNCH_STARTS } from "../launch-queue.ts";
import type { PostgresDatabase, Session, Statement } from "./database.ts";
import { CommitUnknown } from "./faults.ts";
import { type DrawnFacts, factsStatement, readFacts } from "./intake-facts.ts";
import { lockAll, lockKey } from "./locks.ts";
import { QueueRoom } from "./queue-room.ts";

/** How often a batch is decided anew because another server was faster. */
const DECISIONS = 8;

const COUNT_ADDRESSES: Statement = {
  name: "count_addresses",
  text: `insert into address_launches (day, address, launches)
    select day, address, count(*) from unnest($1::text[], $2::text[]) as counted (day, address)
    group by day, address order by day, address
    on conflict (day, address) do update set launches = address_launches.launches + excluded.launches`,
};

const DROP_DAYS: Statement = {
  name: "drop_address_days",
  text: "delete from address_launches where day < $1",
};

/** Thrown in a transaction to undo it: what it read is not true any more. */
class Overtaken extends Error {}

/** What a decision leaves to do: the outcomes, and the write that makes them true. */
export interface Decision<Outcomes> {
  readonly outcomes: Outcomes;
  /** The requests that were accepted. */
  readonly accepted: readonly BatchRequest[];
  /** @returns whether all of it was written; if not, another server was faster */
  readonly write: () => Promise<boolean>;
}

/** Accepts requests in transactions that hold them to the limits, exactly. */
export class Intake {
  readonly #db: PostgresDatabase;
  readonly facts: Statement;
  readonly #room = new QueueRoom();
  #droppedOn = "";

  /** @param time SQL for the database's time in milliseconds */
  constructor(db: PostgresDatabase, time: string) {
    this.#db = db;
    this.facts = factsStatement(time);
  }

  /**
   * Decides on requests and writes what was decided, in one transaction.
   *
   * @param decide decides by the facts; called again if the decision turns out to be too old
   * @param isStored whether the accepted ones are stored; asked if a commit's outcome is not known
   */
  async decide<Outcomes>(
    requests: readonly BatchRequest[],
    limits: IntakeLimits,
    decide: (
      session: Session,
      batch: IntakeBatch,
      facts: DrawnFacts,
    ) => Promise<Decision<Outcomes>>,
    isStored: () => Promise<boolean>,
  ): Promise<Outcomes> {
    const locks = lockAll(lockNames(requests, limits));
    const isQueueLimited = Number.isFinite(limits.maxPending) || limits.budget !== null;
    let decided: Outcomes | undefined;
    for (let attempt = 0; attempt < DECISIONS; attempt++) {
      const isCounting = isQueueLimited && this.#room.mustCount;
      const queue = isQueueLimited ? queueLock(isCounting) : "";
      try {
        return await this.#db.transaction(async (session) => {
          const facts = await readFacts(session, this.facts, requests, limits, {
            ...{ isCounting, isDrawing: true },
          });
          const { spentLamports: lamports, reserved } = facts;
          const maxPending = maxPendingOf(limits, { lamports, reserved });
          if (isQueueLimited) this.#checkRoom(facts, maxPending, isCounting);
          const batch = new IntakeBatch(facts, limits);
          const { outcomes, accepted, write } = await decide(session, batch, facts);
          decided = outcomes;
          if (accepted.length === 0) return outcomes;
          if (!(await write())) throw new Overtaken();
          await this.#countAddresses(session, accepted, limits);
          return outcomes;
        }, `${queue}${locks}`);
      } catch (error) {
        if (error instanceof Overtaken) continue;
        this.#room.forget();
        const isUnknown = error instanceof ServiceError && error.cause instanceof CommitUnknown;
        if (isUnknown && decided !== undefined && (await isStored())) return decided;
        throw error;
      }
    }
    throw new Error("other servers were faster each time");
  }

  /** @throws {Overtaken} if the launches must be counted first */
  #checkRoom({ depth, drawn }: DrawnFacts, maxPending: number, isCounting: boolean): void {
    if (isCounting) {
      this.#room.counted(depth, (drawn[0] ?? 0) - 1);
      // Then the count of this transaction alone decides, and the next one counts again.
    } else if (!this.#room.isBelow(maxPending, drawn.at(-1) ?? 0)) {
      this.#room.forget();
      throw new Overtaken();
    }
  }

  async #countAddresses(
    session: Session,
    accepted: readonly BatchRequest[],
    { maxOfAddress }: IntakeLimits,
  ): Promise<void> {
    const counted = accepted.filter(({ address }) => address !== null);
    const [first] = counted;
    if (!first) return;
    if (Number.isFinite(maxOfAddress)) {
      const days = counted.map(({ now }) => utcDay(now));
      const addresses = counted.map(({ address }) => address);
      await session.rows(COUNT_ADDRESSES, days, addresses);
    }
    const day = utcDay(first.now);
    // Keeps the day before: the clock may step back over midnight.
    if (this.#droppedOn !== day) await session.rows(DROP_DAYS, utcDay(first.now - DAY_MS));
    this.#droppedOn = day;
  }
}

function queueLock(isCounting: boolean): string {
  const take = isCounting ? "pg_advisory_xact_lock" : "pg_advisory_xact_lock_shared";
  return `select ${take}(${lockKey("queue")});`;
}

/**
 * Limits hold exactly, because those who count the same wallet or network take turns. A wallet's
 * requests with keys do so too: then no two transactions wait for each other's keys.
 */
function* lockNames(requests: readonly BatchRequest[], limits: IntakeLimits): Generator<string> {
  const ofAgents = Number.isFinite(limits.maxOfAgent);
  const ofNetworks =
    Number.isFinite(limits.maxOfAddress) ||
    Number.isFinite(limits.maxPending) ||
    limits.budget !== null;
  if (Number.isFinite(limits.maxPerHour)) yield LAUNCH_STARTS;
  for (const { wallet, key, address } of requests) {
    if (ofAgents || key !== null) yield `wallet ${wallet}`;
    if (ofNetworks && address !== null) yield `network ${networkOf(address)}`;
  }
}
