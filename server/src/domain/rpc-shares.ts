import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Holder,
  type ShareLevel,
  type SharePercents,
  type SharePlace,
  SharePool,
  sharesOf,
  usedUpShare,
} from "./shares.ts";

/** Milliseconds for which a request to the RPC counts. */
export const RPC_WINDOW_MS = 10_000;
/** Requests to the RPC within that time that clients together may cause, and one agent. */
const MOST = 3_000;
const MOST_OF_AGENT = 300;

/**
 * How many requests to the RPC clients cause. Each counts for the client whose request is being answered; work of the
 * service itself counts for no one. A client that has used its share is refused before its next request is begun,
 * never in the middle of one.
 */
export class RpcShares {
  readonly #asking = new AsyncLocalStorage<Holder>();
  readonly #pool: SharePool;
  readonly #counted: { readonly place: SharePlace; readonly endsAt: number }[] = [];

  constructor(
    percents: SharePercents,
    private readonly elapsed: () => number,
  ) {
    this.#pool = new SharePool(sharesOf(MOST, MOST_OF_AGENT, percents));
  }

  /** @returns what a client has used up; null if it may cause more */
  usedUp(holder: Holder): ShareLevel | null {
    this.#forgetOld();
    return usedUpShare(this.#pool.used(holder), this.#pool.shares);
  }

  /** Answers a client's request: what it asks the RPC counts for the client. */
  answering<T>(holder: Holder, answer: () => T): T {
    return this.#asking.run(holder, answer);
  }

  /** Counts a request to the RPC. */
  count(): void {
    const holder = this.#asking.getStore();
    if (holder === undefined) return;
    this.#forgetOld();
    const place = this.#pool.take(holder);
    if (typeof place === "string") return;
    this.#counted.push({ place, endsAt: this.elapsed() + RPC_WINDOW_MS });
  }

  #forgetOld(): void {
    const now = this.elapsed();
    const left = this.#counted.findIndex(({ endsAt }) => endsAt > now);
    const old = this.#counted.splice(0, left < 0 ? this.#counted.length : left);
    for (const { place } of old) place[Symbol.dispose]();
  }
}
