import { AsyncLocalStorage } from "node:async_hooks";

/** The client that uses a shared resource. A missing level has no limit. */
export interface Client {
  readonly agent?: string | undefined;
  /** In the format of `http/admit.ts`. */
  readonly address?: string | undefined;
  /** An IPv4 /24, or an IPv6 /48. */
  readonly network?: string | undefined;
}

export type ShareLevel = keyof Client | "total";

/** How much may be in use at once; `Infinity` is no limit. */
export type Shares = Readonly<Record<ShareLevel, number>>;

/** Percentages of a total, 1 to 100; 0 is no limit. */
export interface SharePercents {
  readonly address: number;
  readonly network: number;
}

const LEVELS = ["agent", "address", "network"] as const;

/** An agent, and its network address; the address is null if it does not count against a share. */
export interface Requester {
  readonly wallet: string;
  readonly address: string | null;
}

export function clientOf(agent: string | undefined, address: string | null): Client {
  return address === null ? { agent } : { agent, address, network: networkOf(address) };
}

/** @returns the IPv4 /24 or IPv6 /48, for example `192.0.2.0/24` or `2001:db8:0::/48` */
export function networkOf(address: string): string {
  const groups = address.split(":");
  if (groups.length > 1) return `${groups.slice(0, 3).join(":")}::/48`;
  return `${address.slice(0, address.lastIndexOf("."))}.0/24`;
}

/** An address gets at least an agent's share, a network at least an address's, all at least 1. */
export function sharesOf(total: number, ofAgent: number, percents: SharePercents): Shares {
  const part = (percent: number) =>
    percent === 0 ? total : Math.max(1, Math.floor((total * percent) / 100));
  const atLeastAgent = Number.isFinite(ofAgent) ? ofAgent : 1;
  const address = Math.min(total, Math.max(part(percents.address), atLeastAgent));
  // If addresses have no limit, the network's share need not exceed an agent's.
  const least = percents.address === 0 ? atLeastAgent : address;
  const network = Math.min(total, Math.max(part(percents.network), least));
  return { total, agent: Math.min(total, ofAgent), address, network };
}

/** @returns the first level without room, in the order agent, address, network, total; or null */
export function usedUpShare(
  used: Readonly<Partial<Record<ShareLevel, number>>>,
  shares: Shares,
  amount = 1,
): ShareLevel | null {
  for (const level of [...LEVELS, "total"] as const) {
    const now = used[level];
    if (now !== undefined && now + amount > shares[level]) return level;
  }
  return null;
}

/** A part of a resource that is in use until it is disposed. */
export interface SharePlace extends Disposable {
  /** @returns the level without room; null if the place grew */
  grow(amount: number): ShareLevel | null;
}

export class SharePool {
  readonly #held = {
    agent: new Map<string, number>(),
    address: new Map<string, number>(),
    network: new Map<string, number>(),
  };
  #total = 0;

  constructor(readonly shares: Shares) {}

  get total(): number {
    return this.#total;
  }

  full(level: keyof Client): string[] {
    const most = this.shares[level];
    const used = [...this.#held[level]].filter(([, held]) => held >= most);
    return used.map(([name]) => name);
  }

  used(client: Client): Partial<Record<ShareLevel, number>> {
    const used: Partial<Record<ShareLevel, number>> = { total: this.#total };
    for (const level of LEVELS) {
      const name = client[level];
      if (name !== undefined) used[level] = this.#held[level].get(name) ?? 0;
    }
    return used;
  }

  /** @returns the place, or the level without room */
  take(client: Client, amount = 1): SharePlace | ShareLevel {
    const full = this.#add(client, amount);
    if (full !== null) return full;
    let held = amount;
    return {
      grow: (more) => {
        const noRoom = this.#add(client, more);
        if (noRoom === null) held += more;
        return noRoom;
      },
      [Symbol.dispose]: () => {
        this.#change(client, -held);
        held = 0;
      },
    };
  }

  #add(client: Client, amount: number): ShareLevel | null {
    const full = usedUpShare(this.used(client), this.shares, amount);
    if (full === null) this.#change(client, amount);
    return full;
  }

  #change(client: Client, amount: number): void {
    this.#total += amount;
    for (const level of LEVELS) {
      const name = client[level];
      if (name === undefined) continue;
      const held = (this.#held[level].get(name) ?? 0) + amount;
      if (held === 0) this.#held[level].delete(name);
      else this.#held[level].set(name, held);
    }
  }
}

/** A pool whose places end at a set time. */
export class TimedShares {
  readonly #pool: SharePool;
  readonly #held = new Set<{ readonly place: SharePlace; endsAt: number }>();

  /** @param elapsed monotonic time in milliseconds */
  constructor(
    shares: Shares,
    private readonly elapsed: () => number,
  ) {
    this.#pool = new SharePool(shares);
  }

  usedUp(client: Client): ShareLevel | null {
    this.#endOld();
    return usedUpShare(this.#pool.used(client), this.#pool.shares);
  }

  /**
   * @param endsAt by `elapsed`
   * @returns the place, whose end may be set, or the level without room
   */
  take(client: Client, endsAt: number): { endsAt: number } | ShareLevel {
    this.#endOld();
    const place = this.#pool.take(client);
    if (typeof place === "string") return place;
    const held = { place, endsAt };
    this.#held.add(held);
    return held;
  }

  #endOld(): void {
    const now = this.elapsed();
    for (const held of this.#held) {
      if (held.endsAt > now) continue;
      held.place[Symbol.dispose]();
      this.#held.delete(held);
    }
  }
}

export const RPC_WINDOW_MS = 10_000;
/** RPC requests that all clients together, and each agent, may cause in that time. */
const MOST = 3_000;
const MOST_OF_AGENT = 300;

/**
 * Counts the RPC requests that clients cause. Each counts for the client whose request is being
 * answered; the service's own work counts for no client. A client that has used up its share is
 * refused at its next request, never in the middle of one.
 */
export class RpcShares extends TimedShares {
  readonly #asking = new AsyncLocalStorage<Client>();

  constructor(
    percents: SharePercents,
    private readonly now: () => number,
  ) {
    super(sharesOf(MOST, MOST_OF_AGENT, percents), now);
  }

  answering<T>(client: Client, answer: () => T): T {
    return this.#asking.run(client, answer);
  }

  count(): void {
    const client = this.#asking.getStore();
    if (client !== undefined) this.take(client, this.now() + RPC_WINDOW_MS);
  }
}
