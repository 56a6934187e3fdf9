import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Client,
  type ShareLevel,
  type SharePercents,
  type SharePlace,
  SharePool,
  sharesOf,
  usedUpShare,
} from "./shares.ts";

export const RPC_WINDOW_MS = 10_000;
/** Requests to the RPC within that time that clients together may cause, and one agent. */
const MOST = 3_000;
const MOST_OF_AGENT = 300;

/**
 * How many requests to the RPC clients cause. Each counts for the client whose request is answered; the
 * service's own work counts for no one. Who has used up a share is refused before its next request, never in
 * the middle of one.
 */
export class RpcShares {
  readonly #asking = new AsyncLocalStorage<Client>();
  readonly #pool: SharePool;
  readonly #counted: { readonly place: SharePlace; readonly endsAt: number }[] = [];

  constructor(
    percents: SharePercents,
    private readonly elapsed: () => number,
  ) {
    this.#pool = new SharePool(sharesOf(MOST, MOST_OF_AGENT, percents));
  }

  usedUp(client: Client): ShareLevel | null {
    this.#forgetOld();
    return usedUpShare(this.#pool.used(client), this.#pool.shares);
  }

  answering<T>(client: Client, answer: () => T): T {
    return this.#asking.run(client, answer);
  }

  count(): void {
    const client = this.#asking.getStore();
    if (client === undefined) return;
    this.#forgetOld();
    const place = this.#pool.take(client);
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
