import { BoundedMap } from "../../base/bounded-map.ts";
import { DAY_MS, startOfUtcDay, utcDay } from "../../base/utc-day.ts";
import type {
  DayBudget,
  IntakeLimits,
  NewLaunch,
  Refusal,
  RequestOrigin,
} from "../launch-intake.ts";
import { AddressLaunches } from "./address-launches.ts";
import type { Admission } from "./admission.ts";
import type { Database } from "./database.ts";
import { QueueRoom } from "./queue-room.ts";
import type { Spending } from "./spending.ts";

/** Holds new and retried launches to the limits of agents, addresses, queue and budget. */
export class IntakeBounds {
  readonly #queueRoom: QueueRoom;
  /** By network address; an entry that was dropped is counted again. */
  readonly #addressRooms = new BoundedMap<string, QueueRoom>(10_000);
  readonly #addressLaunches: AddressLaunches;
  readonly #countOfWallet;
  readonly #countPendingOf;
  readonly #spending: Pick<Spending, "spentToday">;
  readonly #admission: Admission;

  constructor(db: Database, spending: Pick<Spending, "spentToday">, admission: Admission) {
    this.#spending = spending;
    this.#admission = admission;
    const { $client: client } = db;
    const pending = client.query<{ depth: number }, []>(
      "select count(*) as depth from launches where status = 'pending'",
    );
    this.#queueRoom = new QueueRoom(() => pending.get()?.depth ?? 0);
    this.#addressLaunches = new AddressLaunches(client);
    // Straight to the driver: through prepared drizzle queries both counts take a fifth longer.
    this.#countOfWallet = client.query<{ n: number }, [string, number, number]>(
      `select count(*) as n from launches
       where wallet = ? and status in ('pending', 'success', 'failed', 'rate_limited')
         and created_at >= ? and created_at < ?`,
    );
    this.#countPendingOf = client.query<{ n: number }, [string]>(
      "select count(*) as n from launches where status = 'pending' and address = ?",
    );
  }

  /**
   * Whether hour, budget and queue have room, one launch after another. Once budget or queue has none,
   * that holds for the rest of the transaction.
   */
  room(
    { maxPending, maxPerHour }: IntakeLimits,
    budget: DayBudget | null,
  ): (wallet: string, now: number) => Refusal | null {
    let places: Set<string> | undefined;
    let spent: boolean | undefined;
    let isFull = false;
    return (wallet, now) => {
      if (maxPerHour !== Number.POSITIVE_INFINITY) {
        places ??= this.#admission.places(now);
        if (!places.has(wallet) && places.size >= maxPerHour) return "launch_rate_limit";
        // Also if something else refuses the launch: the next request counts again.
        places.add(wallet);
      }
      spent ??= budget !== null && this.#isSpent(budget);
      if (spent) return "daily_budget_spent";
      isFull ||= !this.#queueRoom.take(maxPending);
      return isFull ? "queue_full" : null;
    };
  }

  #isSpent({ maxDailyLamports, launchLamports }: DayBudget): boolean {
    return this.#spending.spentToday() + launchLamports > maxDailyLamports;
  }

  agentRefusal({ wallet, createdAt }: NewLaunch, { maxOfAgent }: IntakeLimits): Refusal | null {
    if (maxOfAgent === Number.POSITIVE_INFINITY) return null;
    const day = startOfUtcDay(createdAt);
    const { n } = this.#countOfWallet.get(wallet, day, day + DAY_MS) ?? { n: 0 };
    return n < maxOfAgent ? null : "agent_launch_limit";
  }

  addressRefusal({ address, now }: RequestOrigin, limits: IntakeLimits): Refusal | null {
    if (address === null) return null;
    const { maxOfAddress, maxPendingOfAddress } = limits;
    if (maxOfAddress !== Number.POSITIVE_INFINITY) {
      if (this.#addressLaunches.on(utcDay(now), address) >= maxOfAddress) {
        return "address_launch_limit";
      }
    }
    if (maxPendingOfAddress === Number.POSITIVE_INFINITY) return null;
    const room = this.#addressRooms.getOrMake(
      address,
      () => new QueueRoom(() => this.#countPendingOf.get(address)?.n ?? 0),
    );
    return room.take(maxPendingOfAddress) ? null : "share_used";
  }

  /** Counts an accepted launch or retry for its address. */
  count({ address, now }: RequestOrigin, { maxOfAddress }: IntakeLimits): void {
    if (address === null || maxOfAddress === Number.POSITIVE_INFINITY) return;
    this.#addressLaunches.add(now, address);
  }
}
