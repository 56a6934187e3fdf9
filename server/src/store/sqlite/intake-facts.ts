import type { Clock } from "../../base/clock.ts";
import { DAY_MS, startOfUtcDay, utcDay } from "../../base/utc-day.ts";
import { maxPendingOf, type TickerHolder } from "../../domain/intake.ts";
import type { IntakeLimits } from "../../domain/intake-limits.ts";
import { networkOf } from "../../domain/shares.ts";
import type { BatchFacts, BatchRequest } from "../intake-batch.ts";
import type { AddressLaunches } from "./address-launches.ts";
import type { Admission } from "./admission.ts";
import type { Database } from "./database.ts";
import { QueueRoom } from "./queue-room.ts";
import type { Spending } from "./spending.ts";

/** The tables beside that of launches that intake reads and writes. */
export interface IntakeTables {
  readonly spending: Spending;
  readonly admission: Admission;
  readonly addressLaunches: AddressLaunches;
}

const NOTHING_SPENT = { lamports: 0n, reserved: 0 };

/** Reads what requests need to know; called within a transaction. */
export class IntakeReads {
  /** Told of each launch that is accepted. */
  readonly queueRoom: QueueRoom;
  readonly #clock: Clock;
  readonly #addressLaunches: AddressLaunches;
  readonly #spending: Spending;
  readonly #admission: Admission;
  readonly #byKey;
  readonly #ofWallet;
  readonly #ofAddress;
  readonly #ofNetwork;
  readonly #holder;
  readonly #hasImage;

  constructor(
    { $client: client }: Database,
    clock: Clock,
    { spending, admission, addressLaunches }: IntakeTables,
  ) {
    this.#clock = clock;
    this.#addressLaunches = addressLaunches;
    this.#spending = spending;
    this.#admission = admission;
    const pending = client.query<{ depth: number }, []>(
      "select count(*) as depth from launches where status = 'pending'",
    );
    this.queueRoom = new QueueRoom(() => pending.get()?.depth ?? 0);
    // Straight to the driver: through prepared drizzle queries they take a fifth longer.
    this.#byKey = client.query<{ eventId: string; requestHash: string }, [string, string]>(
      `select event_id as eventId, request_hash as requestHash from launches
       where wallet = ? and idempotency_key = ?`,
    );
    this.#ofWallet = client.query<{ n: number }, [string, number, number]>(
      `select count(*) as n from launches
       where wallet = ? and status in ('pending', 'success', 'failed', 'rate_limited')
         and created_at >= ? and created_at < ?`,
    );
    this.#ofAddress = client.query<{ n: number }, [string, string]>(
      "select count(*) as n from launches where status = 'pending' and network = ? and address = ?",
    );
    this.#ofNetwork = client.query<{ n: number }, [string]>(
      "select count(*) as n from launches where status = 'pending' and network = ?",
    );
    this.#holder = client.query<TickerHolder, [string]>(
      `select event_id as eventId, wallet, status,
         case when status in ('failed', 'rate_limited') then processed_at end as endedAt
       from launches where ticker = ? and ticker_released = 0`,
    );
    this.#hasImage = client.query<{ one: 1 }, [string]>(
      "select 1 as one from images where hash = ?",
    );
  }

  read(requests: readonly BatchRequest[], limits: IntakeLimits): BatchFacts {
    const spending = limits.budget === null ? NOTHING_SPENT : this.#spending.committedToday();
    const maxPending = maxPendingOf(limits, spending);
    const keys = [];
    const tickers = [];
    const images = new Set<string>();
    const standings = new Map<string, ReturnType<Admission["standing"]>>();
    const invites = new Map<string, number>();
    const agents = new Map<string, BatchFacts["agents"][number]>();
    const addresses = new Map<string, BatchFacts["addresses"][number]>();
    const origins = new Map<string, BatchFacts["origins"][number]>();
    for (const { wallet, key, ticker, address, now, imageHash, inviteHash } of requests) {
      const known = key === null ? null : this.#byKey.get(wallet, key);
      if (known && key !== null) keys.push({ wallet, key, ...known });
      if (imageHash !== null && this.#hasImage.get(imageHash)) images.add(imageHash);
      const holder = ticker === null ? null : this.#holder.get(ticker);
      if (holder && ticker !== null) tickers.push({ ticker, ...holder });
      if (!standings.has(wallet)) standings.set(wallet, this.#admission.standing(wallet));
      if (inviteHash !== null) invites.set(inviteHash, this.#admission.usesLeft(inviteHash));
      if (Number.isFinite(limits.maxOfAgent)) {
        const day = startOfUtcDay(now);
        const id = `${wallet} ${day}`;
        if (!agents.has(id)) agents.set(id, { wallet, day, launches: this.#ofAgent(wallet, day) });
      }
      if (address === null) continue;
      const day = utcDay(now);
      addresses.set(`${address} ${day}`, {
        ...{ address, day, launches: this.#addressLaunches.on(day, address) },
      });
      if (maxPending === Number.POSITIVE_INFINITY) continue;
      const network = networkOf(address);
      if (!origins.has(network)) origins.set(network, this.#origin(network, null));
      if (!origins.has(address)) origins.set(address, this.#origin(network, address));
    }
    return {
      ...{ keys, tickers, images: [...images] },
      ...{ spentLamports: spending.lamports, reserved: spending.reserved },
      standings: Array.from(standings, ([wallet, standing]) => ({ wallet, ...standing })),
      invites: Array.from(invites, ([codeHash, left]) => ({ codeHash, left })),
      agents: [...agents.values()],
      addresses: [...addresses.values()],
      origins: [...origins.values()],
      places: Number.isFinite(limits.maxPerHour) ? this.#admission.places() : null,
      depth:
        maxPending === Number.POSITIVE_INFINITY
          ? 0
          : this.queueRoom.pending(maxPending - requests.length + 1),
    };
  }

  #ofAgent(wallet: string, day: number): number {
    return this.#ofWallet.get(wallet, day, day + DAY_MS)?.n ?? 0;
  }

  #origin(network: string, address: string | null) {
    const pending =
      address === null ? this.#ofNetwork.get(network) : this.#ofAddress.get(network, address);
    const origin = address ?? network;
    const launched = this.#addressLaunches.launchedOn(utcDay(this.#clock.now()), origin);
    return { origin, pending: pending?.n ?? 0, launched };
  }
}
