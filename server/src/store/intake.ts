import { sql } from "drizzle-orm";
import { DAY_MS, utcDay } from "../base/utc-day.ts";
import { type IntakeRequest, maxPendingOf } from "../domain/intake.ts";
import type { IntakeLimits } from "../domain/intake-limits.ts";
import { networkOf } from "../domain/shares.ts";
import type { Database, Statement, Transaction } from "./database.ts";
import { IntakeBatch } from "./intake-batch.ts";
import { type BatchFacts, type BatchRequest, isQueueLimited, readFacts } from "./intake-facts.ts";
import { LAUNCH_STARTS } from "./launch-queue.ts";
import { redeem } from "./operator.ts";

/** How often a batch is decided if another server is faster each time. */
const DECISIONS = 8;

/** Thrown in a transaction to undo it: what it read is not true any more. */
class Overtaken extends Error {}

/** Requests, and how they are decided and written in one transaction. */
interface Work<Outcomes> {
  readonly requests: readonly BatchRequest[];
  readonly limits: IntakeLimits;
  /** Decides by the batch; called again if the decision turns out to be too old. */
  decide(
    transaction: Transaction,
    batch: IntakeBatch,
    facts: BatchFacts,
  ): Promise<{
    readonly outcomes: Outcomes;
    /** @returns whether all was written; if not, another server was faster */
    readonly write?: (transaction: Transaction) => Promise<boolean>;
  }>;
  /** Whether the accepted ones are stored; asked if a commit's outcome is not known. */
  isStored(): Promise<boolean>;
}

/** Accepts requests in transactions that hold them to the limits, exactly. */
export class Intake {
  readonly #room = new QueueRoom();
  /** On SQLite: the last number that was drawn. */
  #drawn = 0;
  #droppedOn = "";

  constructor(private readonly db: Database) {}

  async decide<Outcomes>({ decide, isStored, ...asked }: Work<Outcomes>): Promise<Outcomes> {
    const { requests, limits } = asked;
    const names = [...lockNames(requests, limits)];
    const isLimited = isQueueLimited(limits);
    let decided: { readonly outcomes: Outcomes } | undefined;
    for (let attempt = 0; attempt < DECISIONS; attempt++) {
      const isCounting = isLimited && this.#room.mustCount;
      const locks = isLimited ? { names, first: "queue", isFirstShared: !isCounting } : names;
      try {
        return await this.db.transaction(async (transaction) => {
          const facts = await readFacts(transaction, { ...asked, isCounting, isDrawing: true });
          if (isLimited) this.#checkRoom(facts, asked, isCounting);
          const batch = new IntakeBatch(facts, limits);
          const { outcomes, write } = await decide(transaction, batch, facts);
          decided = { outcomes };
          await settle(transaction, batch);
          if (write && !(await write(transaction))) throw new Overtaken();
          await this.#countOfDay(transaction, batch.accepted, limits);
          return outcomes;
        }, locks);
      } catch (error) {
        if (error instanceof Overtaken) continue;
        this.#room.forget();
        if (decided && this.db.isCommitUnknown(error) && (await isStored())) {
          return decided.outcomes;
        }
        throw error;
      }
    }
    throw new Error("other servers were faster each time");
  }

  /** @throws {Overtaken} if the launches must be counted first */
  #checkRoom(
    { depth, ofAgents, drawn, spentLamports: lamports, reserved }: BatchFacts,
    { requests, limits }: Pick<Work<unknown>, "requests" | "limits">,
    isCounting: boolean,
  ): void {
    const first = drawn[0] ?? this.#drawn + 1;
    this.#drawn = drawn.at(-1) ?? first + requests.length - 1;
    // Then the count of this transaction alone decides, and the next one counts again.
    const isOfAgent = ({ isPaidByAgent }: BatchRequest) => isPaidByAgent;
    const most = {
      depth: requests.every(isOfAgent) ? null : maxPendingOf(limits, { lamports, reserved }),
      ofAgents: requests.some(isOfAgent) ? limits.maxPending : null,
    };
    if (isCounting) this.#room.counted({ depth, ofAgents, drawn: first - 1 });
    else if (!this.#room.isBelow(most, this.#drawn)) {
      this.#room.forget();
      throw new Overtaken();
    }
  }

  async #countOfDay(
    transaction: Transaction,
    accepted: readonly IntakeRequest[],
    { maxOfAddress }: IntakeLimits,
  ): Promise<void> {
    const counted = accepted.flatMap(({ wallet, address, now, isRetry, isCounted }) => {
      const ofAddress = address !== null && Number.isFinite(maxOfAddress);
      // The row of a new launch counts for its agent.
      const holders = [...(ofAddress ? [address] : []), ...(isRetry && isCounted ? [wallet] : [])];
      return holders.map((holder) => ({ holder, day: utcDay(now) }));
    });
    const [first] = accepted;
    if (!first) return;
    if (counted.length > 0) await transaction.run(COUNT, { counted: JSON.stringify(counted) });
    const day = utcDay(first.now);
    if (this.#droppedOn === day) return;
    // Keeps the day before: the clock may step back over midnight.
    const last = utcDay(first.now - DAY_MS);
    await transaction.run(sql`delete from daily_launches where day < ${last}`);
    this.#droppedOn = day;
  }
}

const COUNT: Statement<unknown> = ({
  json,
}) => sql`insert into daily_launches (day, holder, launches)
  select value ->> 'day' as day, value ->> 'holder' as holder, count(*)
  from ${json.each}(${sql.placeholder("counted")}) as counted group by 1, 2 order by 1, 2
  on conflict (day, holder) do update set launches = daily_launches.launches + excluded.launches`;

/** Takes the tickers and redeems the invites of accepted requests; two servers do so in the same order. */
async function settle(transaction: Transaction, batch: IntakeBatch): Promise<void> {
  for (const { ticker, endedBy } of batch.released.toSorted(by((it) => it.ticker))) {
    await transaction.run(sql`update launches set ticker_released = 1
      where ticker = ${ticker} and ticker_released = 0
        and status in ('failed', 'rate_limited') and processed_at <= ${endedBy}`);
  }
  for (const { wallet, codeHash } of batch.redeemed.toSorted(by((it) => it.codeHash + it.wallet))) {
    if ((await redeem(transaction, wallet, codeHash)) !== "redeemed") throw new Overtaken();
  }
}

function by<T>(key: (one: T) => string): (a: T, b: T) => number {
  return (a, b) => (key(a) < key(b) ? -1 : 1);
}

/**
 * Limits hold exactly, because those who count the same wallet or network take turns. A wallet's
 * requests with keys do so too: then no two transactions wait for each other's keys. And those with
 * invites, so that a wallet uses up one.
 */
function* lockNames(requests: readonly BatchRequest[], limits: IntakeLimits): Generator<string> {
  const ofAgents = Number.isFinite(limits.maxOfAgent);
  const ofNetworks = Number.isFinite(limits.maxOfAddress) || isQueueLimited(limits);
  if (Number.isFinite(limits.maxPerHour)) yield LAUNCH_STARTS;
  for (const { wallet, requestHash, address, inviteHash } of requests) {
    if (ofAgents || requestHash !== null || inviteHash !== null) yield `wallet ${wallet}`;
    if (ofNetworks && address !== null) yield `network ${networkOf(address)}`;
  }
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
  /** How many were pending when they were counted, and the last number drawn before. */
  #counted: Readonly<Record<"depth" | "ofAgents" | "drawn", number>> | null = null;

  /** Whether the next transaction must count, so must hold the lock exclusively. */
  get mustCount(): boolean {
    return this.#counted === null;
  }

  /** Whether no more launches are pending than `most` after the last number was drawn; null if not asked. */
  isBelow(most: Readonly<Record<"depth" | "ofAgents", number | null>>, lastDrawn: number): boolean {
    if (this.#counted === null) return false;
    const { depth, ofAgents, drawn } = this.#counted;
    const since = lastDrawn - drawn;
    const hasRoom = (now: number, max: number | null) => max === null || now + since <= max;
    // Numbers go backwards if a standby takes over that had not received all.
    return since > 0 && hasRoom(depth, most.depth) && hasRoom(ofAgents, most.ofAgents);
  }

  counted(counted: Readonly<Record<"depth" | "ofAgents" | "drawn", number>>): void {
    this.#counted = counted;
  }

  forget(): void {
    this.#counted = null;
  }
}
