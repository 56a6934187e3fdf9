import { BoundedMap } from "../../base/bounded-map.ts";
import { DAY_MS, startOfUtcDay, utcDay } from "../../base/utc-day.ts";
import { type CountRefusal, countRefusals, type DayBudget } from "../../domain/intake.ts";
import { networkOf } from "../../domain/shares.ts";
import type { IntakeLimits } from "../launch-intake.ts";
import { AddressLaunches } from "./address-launches.ts";
import type { Admission } from "./admission.ts";
import type { Database } from "./database.ts";
import { QueueRoom } from "./queue-room.ts";
import type { Spending } from "./spending.ts";

/** A launch or a retry that asks for its place in the queue. */
export interface Asking {
  readonly wallet: string;
  readonly address: string | null;
  readonly now: number;
  readonly isNew: boolean;
}

/** Holds new and retried launches to the limits of agents, addresses, networks, queue and budget. */
export class IntakeBounds {
  readonly #queueRoom: QueueRoom;
  /** By address and by network; an entry that was dropped is counted again. */
  readonly #rooms = new BoundedMap<string, QueueRoom>(10_000);
  readonly #addressLaunches: AddressLaunches;
  readonly #countOfWallet;
  readonly #countOfAddress;
  readonly #countOfNetwork;
  readonly #spending: Pick<Spending, "committedToday">;
  readonly #admission: Pick<Admission, "places">;

  constructor(
    { $client: client }: Database,
    spending: Pick<Spending, "committedToday">,
    admission: Pick<Admission, "places">,
  ) {
    this.#addressLaunches = new AddressLaunches(client);
    this.#spending = spending;
    this.#admission = admission;
    const pending = client.query<{ depth: number }, []>(
      "select count(*) as depth from launches where status = 'pending'",
    );
    this.#queueRoom = new QueueRoom(() => pending.get()?.depth ?? 0);
    // Straight to the driver: through prepared drizzle queries the counts take a fifth longer.
    this.#countOfWallet = client.query<{ n: number }, [string, number, number]>(
      `select count(*) as n from launches
       where wallet = ? and status in ('pending', 'success', 'failed', 'rate_limited')
         and created_at >= ? and created_at < ?`,
    );
    this.#countOfAddress = client.query<{ n: number }, [string, string]>(
      "select count(*) as n from launches where status = 'pending' and network = ? and address = ?",
    );
    this.#countOfNetwork = client.query<{ n: number }, [string]>(
      "select count(*) as n from launches where status = 'pending' and network = ?",
    );
  }

  /** @returns the first reason to refuse a launch or a retry; null if there is none */
  refusal(
    { wallet, address, now, isNew }: Asking,
    limits: IntakeLimits,
    budget: DayBudget | null,
  ): CountRefusal | null {
    const network = address === null ? "" : networkOf(address);
    const [refusal] = countRefusals(
      { address, isNew },
      {
        ofAgent: () => this.#ofAgent(wallet, now),
        ofAddress: () => this.#addressLaunches.on(utcDay(now), address ?? ""),
        pending: (level, limit) => {
          if (level === "total") return this.#queueRoom.pending(limit);
          const ofAddress = level === "address" ? address : null;
          return this.#roomOf(network, ofAddress).pending(limit);
        },
        places: () => this.#admission.places(wallet, address, now),
        spending: () => this.#spending.committedToday(),
        launched: (level) =>
          this.#addressLaunches.launchedOn(
            utcDay(now),
            level === "network" ? network : (address ?? ""),
          ),
      },
      limits,
      budget,
    );
    return refusal ?? null;
  }

  #ofAgent(wallet: string, now: number): number {
    const day = startOfUtcDay(now);
    return this.#countOfWallet.get(wallet, day, day + DAY_MS)?.n ?? 0;
  }

  #roomOf(network: string, address: string | null): QueueRoom {
    return this.#rooms.getOrMake(address ?? network, () => {
      if (address === null) return new QueueRoom(() => this.#countOfNetwork.get(network)?.n ?? 0);
      return new QueueRoom(() => this.#countOfAddress.get(network, address)?.n ?? 0);
    });
  }

  /** Counts an accepted launch or retry. */
  count({ address, now }: Asking, { maxOfAddress }: IntakeLimits): void {
    this.#queueRoom.add();
    if (address === null) return;
    const network = networkOf(address);
    this.#roomOf(network, null).add();
    this.#roomOf(network, address).add();
    if (maxOfAddress !== Number.POSITIVE_INFINITY) this.#addressLaunches.add(now, address);
  }
}
