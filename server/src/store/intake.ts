import { sql } from "drizzle-orm";
import { DAY_MS, utcDay } from "../base/utc-day.ts";
import { type IntakeRequest, maxPendingOf } from "../domain/intake.ts";
import type { IntakeLimits } from "../domain/intake-limits.ts";
import { networkOf } from "../domain/shares.ts";
import type { Database, Locks, Statement, Transaction } from "./database.ts";
import { type BatchRequest, IntakeBatch } from "./intake-batch.ts";
import { type DrawnFacts, readFacts } from "./intake-facts.ts";
import { LAUNCH_STARTS } from "./launch-queue.ts";

/** How often a batch is decided if another server is faster each time. */
const DECISIONS = 8;

/** Thrown in a transaction to undo it: what it read is not true any more. */
class Overtaken extends Error {}

/** What a decision leaves to do: the outcomes, and the write that makes them true. */
export interface Decision<Outcomes> {
  readonly outcomes: Outcomes;
  /** @returns whether all of it was written; if not, another server was faster */
  write(transaction: Transaction): Promise<boolean>;
}

/** Accepts requests in transactions that hold them to the limits, exactly. */
export class Intake {
  readonly #room = new QueueRoom();
  /** On SQLite: the last number that was drawn. */
  #drawn = 0;
  #droppedOn = "";

  constructor(private readonly db: Database) {}

  /**
   * Decides on requests and writes what was decided, in one transaction.
   *
   * @param decide decides by the facts and counts in the batch what it accepts; called again if the
   * decision turns out to be too old
   * @param isStored whether the accepted ones are stored; asked if a commit's outcome is not known
   */
  async decide<Outcomes>(
    requests: readonly BatchRequest[],
    limits: IntakeLimits,
    decide: (
      transaction: Transaction,
      batch: IntakeBatch,
      facts: DrawnFacts,
    ) => Promise<Decision<Outcomes>>,
    isStored: (outcomes: Outcomes) => Promise<boolean>,
  ): Promise<Outcomes> {
    const names = [...lockNames(requests, limits)];
    const isQueueLimited = Number.isFinite(limits.maxPending) || limits.budget !== null;
    let decided: { readonly outcomes: Outcomes } | undefined;
    for (let attempt = 0; attempt < DECISIONS; attempt++) {
      const isCounting = isQueueLimited && this.#room.mustCount;
      const locks: Locks = isQueueLimited
        ? { names, first: "queue", isFirstShared: !isCounting }
        : { names };
      try {
        return await this.db.transaction(async (transaction) => {
          const options = { isCounting, isDrawing: true };
          const facts = await readFacts(transaction, requests, limits, options);
          const { spentLamports: lamports, reserved } = facts;
          const maxPending = maxPendingOf(limits, { lamports, reserved });
          if (isQueueLimited) this.#checkRoom(facts, requests.length, { maxPending, isCounting });
          const batch = new IntakeBatch(facts, limits);
          const decision = await decide(transaction, batch, facts);
          decided = decision;
          if (!(await decision.write(transaction))) throw new Overtaken();
          await this.#countAddresses(transaction, batch.accepted, limits);
          return decision.outcomes;
        }, locks);
      } catch (error) {
        if (error instanceof Overtaken) continue;
        this.#room.forget();
        if (decided && this.db.isCommitUnknown(error) && (await isStored(decided.outcomes))) {
          return decided.outcomes;
        }
        throw error;
      }
    }
    throw new Error("other servers were faster each time");
  }

  /** @throws {Overtaken} if the launches must be counted first */
  #checkRoom(
    { depth, drawn: [first = this.#drawn + 1, ...more] }: DrawnFacts,
    requests: number,
    { maxPending, isCounting }: { readonly maxPending: number; readonly isCounting: boolean },
  ): void {
    const last = more.at(-1) ?? first + requests - 1;
    this.#drawn = last;
    if (isCounting) {
      this.#room.counted(depth, first - 1);
      // Then the count of this transaction alone decides, and the next one counts again.
    } else if (!this.#room.isBelow(maxPending, last)) {
      this.#room.forget();
      throw new Overtaken();
    }
  }

  async #countAddresses(
    transaction: Transaction,
    accepted: readonly IntakeRequest[],
    { maxOfAddress }: IntakeLimits,
  ): Promise<void> {
    const counted = accepted.filter(({ address }) => address !== null);
    const [first] = counted;
    if (!first) return;
    if (Number.isFinite(maxOfAddress)) {
      const rows = counted.map(({ address, now }) => ({ address, day: utcDay(now) }));
      await transaction.run(COUNT, { counted: JSON.stringify(rows) });
    }
    const day = utcDay(first.now);
    if (this.#droppedOn === day) return;
    // Keeps the day before: the clock may step back over midnight.
    await transaction.run(
      sql`delete from address_launches where day < ${utcDay(first.now - DAY_MS)}`,
    );
    this.#droppedOn = day;
  }
}

const COUNT: Statement<unknown> = ({
  json,
}) => sql`insert into address_launches (day, address, launches)
  select value ->> 'day' as day, value ->> 'address' as address, count(*)
  from ${json.each}(${sql.placeholder("counted")}) as counted group by 1, 2 order by 1, 2
  on conflict (day, address) do update set launches = address_launches.launches + excluded.launches`;

/**
 * Limits hold exactly, because those who count the same wallet or network take turns. A wallet's
 * requests with keys do so too: then no two transactions wait for each other's keys. And those with
 * invites, so that a wallet uses up one.
 */
function* lockNames(requests: readonly BatchRequest[], limits: IntakeLimits): Generator<string> {
  const ofAgents = Number.isFinite(limits.maxOfAgent);
  const ofNetworks =
    Number.isFinite(limits.maxOfAddress) ||
    Number.isFinite(limits.maxPending) ||
    limits.budget !== null;
  if (Number.isFinite(limits.maxPerHour)) yield LAUNCH_STARTS;
  for (const { wallet, key, address, inviteHash } of requests) {
    if (ofAgents || key !== null || inviteHash !== null) yield `wallet ${wallet}`;
    if (ofNetworks && address !== null) yield `network ${networkOf(address)}`;
  }
}

/** Launches that were pending when they were counted, and the last number drawn before. */
interface Count {
  readonly depth: number;
  readonly drawn: number;
}

/**
 * Whether the queue has room, exact with any number of servers, and mostly without counting it. The rest
 * of the day's budget is a limit on pending launches too.
 *
 * Each launch draws a number of the sequence `launches_seq_seq` before it is stored, also if it is
 * refused then. So not more launches are pending than were counted, and numbers drawn since. Only
 * if that bound exceeds the limit they are counted again, alone: all who draw hold the lock of the
 * queue until they have committed, shared; who counts holds it exclusively. (A row that holds the
 * depth would make all commits of all servers wait for each other.)
 */
export class QueueRoom {
  #counted: Count | null = null;

  /** @returns whether the next transaction must count, so must hold the lock exclusively */
  get mustCount(): boolean {
    return this.#counted === null;
  }

  /** @returns whether at most `max` launches are pending after the last number was drawn */
  isBelow(max: number, lastDrawn: number): boolean {
    if (this.#counted === null) return false;
    const { depth, drawn } = this.#counted;
    // Numbers go backwards if a standby takes over that had not received all.
    return lastDrawn > drawn && depth + lastDrawn - drawn <= max;
  }

  /** Remembers a count; of the transaction that holds the lock exclusively. */
  counted(depth: number, drawn: number): void {
    this.#counted = { depth, drawn };
  }

  forget(): void {
    this.#counted = null;
  }
}
