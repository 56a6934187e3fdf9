import type { IntakeLimits } from "../../domain/intake-limits.ts";
import { networkOf } from "../../domain/shares.ts";
import { decideInserts, requestOf } from "../insert-decision.ts";
import { IntakeBatch } from "../intake-batch.ts";
import type { InsertOutcome, NewLaunch } from "../launch-intake.ts";
import { SERVICE_TIME } from "../launch-queue.ts";
import type { Database } from "./database.ts";
import type { IntakeReads, IntakeTables } from "./intake-facts.ts";

/** Takes a ticker from the launch that ended without a token, at this time or earlier. */
export const RELEASE_TICKER = `update launches set ticker_released = 1
  where ticker = ? and ticker_released = 0
    and status in ('failed', 'rate_limited') and processed_at <= ?`;

/** Puts new launches in the queue. Every decision is made in the transaction that stores them. */
export class InsertLaunches {
  readonly #db: Database;
  readonly #facts: IntakeReads;
  readonly #tables: IntakeTables;
  readonly #release;
  readonly #insertOne;

  constructor(db: Database, facts: IntakeReads, tables: IntakeTables) {
    this.#db = db;
    this.#facts = facts;
    this.#tables = tables;
    const { $client: client } = db;
    // Straight to the driver: prepared drizzle queries take a fifth longer.
    this.#release = client.query<null, [string, number]>(RELEASE_TICKER);
    this.#insertOne = client.query(
      `insert into launches (event_id, wallet, name, on_chain_name, ticker, description, image_url,
         website, twitter, telegram, image_hash, created_at, run_at, idempotency_key, request_hash,
         address, network, queued_at)
       values ($eventId, $wallet, $name, $onChainName, $ticker, $description, $imageUrl,
         $website, $twitter, $telegram, $imageHash, $createdAt, $createdAt, $idempotencyKey, $requestHash,
         $address, $network, ${SERVICE_TIME})`,
    );
  }

  /** See `Launches.insert`. */
  insert(launches: readonly NewLaunch[], limits: IntakeLimits): InsertOutcome[] {
    return this.#db.transaction(() => this.#insert(launches, limits), { behavior: "immediate" });
  }

  #insert(launches: readonly NewLaunch[], limits: IntakeLimits): InsertOutcome[] {
    const facts = this.#facts.read(launches.map(requestOf), limits);
    const { tickerHoldMs } = limits;
    const batch = new IntakeBatch(facts, limits);
    const decision = decideInserts(launches, batch, { ...facts, tickerHoldMs });
    const { admission, addressLaunches } = this.#tables;
    for (const { ticker, endedBy } of decision.released) this.#release.run(ticker, endedBy);
    for (const { wallet, codeHash } of decision.redeemed) admission.use(wallet, codeHash);
    for (const launch of decision.accepted) {
      const { idempotency, inviteCode: _, objection: __, ...columns } = launch;
      const { address, createdAt, onChainName = null } = launch;
      this.#insertOne.run({
        ...columns,
        onChainName,
        network: address === null ? null : networkOf(address),
        idempotencyKey: idempotency?.key ?? null,
        requestHash: idempotency?.requestHash ?? null,
      });
      this.#facts.queueRoom.add();
      if (address !== null && Number.isFinite(limits.maxOfAddress))
        addressLaunches.add(createdAt, address);
    }
    return decision.outcomes;
  }
}
