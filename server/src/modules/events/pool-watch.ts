import type { Logger } from "pino";
import { Lease, PeriodicTask, sleep } from "../../base/clock.ts";
import { portions } from "../../base/portions.ts";
import { isSettling, type WatchOutcome } from "../../domain/token.ts";
import type { Launchpad } from "../../launchpad/chain/chain-launchpad.ts";
import type { MarketReading } from "../../store/markets.ts";
import type { Store } from "../../store/store.ts";
import type { WatchedToken } from "../../store/watch.ts";

const POOLS_AT_ONCE = 100;
/** Migrated tokens of an agent in one request, which fits their pools and positions. */
const MIGRATED_AT_ONCE = 45;
const PAUSE_MS = 500;
/** How long a watching server keeps the watch after its next round is due, in milliseconds. */
const LEASE_MARGIN_MS = 60_000;

export interface PoolWatchDeps {
  readonly store: Pick<Store, "watch" | "handOvers" | "markets" | "clock" | "isShared">;
  readonly chain: Pick<Launchpad, "readPools" | "readFees">;
  readonly log: Logger;
  readonly everyMs: number;
  readonly onRound?: ((outcome: WatchOutcome) => void) | undefined;
  readonly pauseMs?: number;
}

/**
 * Learns from the chain what requests do not report: migrations, who has a token's fees, fees that
 * reach a threshold, and prices. One server of a database watches. It reads the chain at most every
 * half second, so a round over very many tokens takes longer.
 */
export class PoolWatch extends PeriodicTask {
  readonly #lease: Lease;

  constructor(private readonly deps: PoolWatchDeps) {
    const { store, everyMs, log } = deps;
    super({
      clock: store.clock,
      run: async () => {
        await this.round();
        return everyMs;
      },
      onError: (error) => log.warn({ err: error }, "pools cannot be watched now"),
      retryMs: [everyMs, everyMs],
    });
    this.#lease = new Lease(everyMs + LEASE_MARGIN_MS);
  }

  override start(): void {
    super.start(this.deps.everyMs);
  }

  async round(): Promise<void> {
    let outcome: WatchOutcome = "failed";
    try {
      const isWhole = (await this.#watchPools()) && (await this.#watchMigrated());
      outcome = isWhole ? "done" : "other_server";
    } finally {
      if (!this.signal.aborted) this.deps.onRound?.(outcome);
      // Another server may reach a node that this one does not.
      if (outcome === "failed") await this.deps.store.watch.lease(this.#lease.id, 0);
    }
  }

  async #watchPools(): Promise<boolean> {
    const { store, chain } = this.deps;
    const all = portions<WatchedToken>((last) => store.watch.all(last?.id ?? 0, POOLS_AT_ONCE));
    for await (const tokens of all) {
      if (!(await this.#mayRead())) return false;
      const pools = await chain.readPools(tokens);
      const seen: MarketReading[] = [];
      for (const [index, token] of tokens.entries()) {
        const pool = pools[index];
        if (!pool || "unreadable" in pool) continue;
        // A node that is behind may still show the curve of a migrated token.
        if (token.isMigrated && !pool.isMigrated) continue;
        await this.#follow(token, pool.creator);
        if (pool.market) seen.push({ tokenId: token.id, ...pool.market });
        if (token.isMigrated) continue;
        // The fees of its liquidity pool are read with those of all migrated tokens.
        if (pool.isMigrated) await store.watch.migrate(token.tokenMint);
        else await this.#judge(token, pool.claimable);
      }
      await store.markets.record(seen, store.clock.now());
    }
    return true;
  }

  async #follow({ tokenMint, wallet, heldSince }: WatchedToken, creator: string): Promise<void> {
    const { handOvers, clock } = this.deps.store;
    if (creator === wallet) return;
    if (isSettling(heldSince, clock.now())) return;
    await handOvers.found({ tokenMint, known: wallet, actual: creator });
  }

  async #watchMigrated(): Promise<boolean> {
    const { watch } = this.deps.store;
    const all = portions<string>((last = "") => watch.walletsToRead(last, POOLS_AT_ONCE));
    for await (const wallets of all) {
      for (const wallet of wallets) {
        if (!(await this.#watchMigratedOf(wallet))) return false;
      }
    }
    return true;
  }

  async #watchMigratedOf(wallet: string): Promise<boolean> {
    const { store, chain } = this.deps;
    const all = portions<WatchedToken>((last) =>
      store.watch.migratedOf(wallet, last?.id ?? 0, MIGRATED_AT_ONCE),
    );
    for await (const tokens of all) {
      if (!(await this.#mayRead())) return false;
      const fees = await chain.readFees(wallet, tokens);
      for (const [index, token] of tokens.entries()) {
        const of = fees[index];
        if (!of || "unreadable" in of) continue;
        await this.#judge(token, of.bondingCurve.claimable + of.liquidityPool.claimable);
      }
    }
    return true;
  }

  async #judge(token: WatchedToken, claimable: bigint): Promise<void> {
    const { tokenMint, threshold, isTold, claimedAt } = token;
    const { watch, clock } = this.deps.store;
    if (threshold === null) return;
    if (isSettling(claimedAt, clock.now())) return;
    if (claimable < threshold) {
      if (isTold) await watch.rearm(tokenMint);
    } else if (!isTold) await watch.tellFees(token);
  }

  /** Paces the reads, and keeps the watch. Returns false if the round is over. */
  async #mayRead(): Promise<boolean> {
    const { store, pauseMs = PAUSE_MS } = this.deps;
    if (pauseMs > 0) await sleep(store.clock, pauseMs, this.signal);
    if (this.signal.aborted) return false;
    return !store.isShared || store.watch.lease(this.#lease.id, this.#lease.ms);
  }
}
