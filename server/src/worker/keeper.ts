import type { Logger } from "pino";
import { Lease, PeriodicTask, sleep } from "../base/clock.ts";
import { LeaseLostError } from "../domain/journal.ts";
import type { TokenRef } from "../domain/token.ts";
import type { PoolKeeper } from "../launchpad/chain/migrate-pool.ts";
import type { CrashPoint } from "../launchpad/crash-point.ts";
import { type LeasedMigration, migrationJournal } from "../store/pool-migrations.ts";
import type { Store } from "../store/store.ts";

/** The longest and the shortest time from the end of one round to the next, in milliseconds. */
const ROUND_MS = 30_000;
const SHORTEST_ROUND_MS = 1_000;
/** Tokens for each RPC call, and the pause after a call in milliseconds. */
const TOKENS_AT_ONCE = 100;
const PAUSE_MS = 250;
/** Milliseconds until a migration is retried; the delay doubles with each attempt. */
const FIRST_DELAY_MS = 30_000;
const LONGEST_DELAY_MS = 3_600_000;

/** Migrates pools whose curve is complete. A lease gives each token to one server. */
export class Keeper extends PeriodicTask {
  readonly #migrated = new Set<string>();

  constructor(
    private readonly options: {
      readonly store: Store;
      readonly keeper: PoolKeeper;
      readonly log: Logger;
      /** Milliseconds before it migrates a complete curve; null to only finish signed migrations. */
      readonly migrateAfterMs: number | null;
      readonly crashPoint?: CrashPoint | undefined;
      readonly leaseMs?: number | undefined;
    },
  ) {
    const { store, log, migrateAfterMs } = options;
    const usual = Math.max(SHORTEST_ROUND_MS, (migrateAfterMs ?? ROUND_MS) / 2);
    // Servers of one database start together after an upgrade; this spreads their RPC calls.
    const pauseMs = () => Math.min(ROUND_MS, usual) * (0.75 + Math.random() / 2);
    super({
      clock: store.clock,
      run: async () => ((await this.runOnce()) ? pauseMs() : Number.POSITIVE_INFINITY),
      onError: (error) => log.warn({ err: error }, "pools were not looked at"),
      retryMs: [pauseMs(), ROUND_MS],
    });
  }

  override async start(): Promise<void> {
    await this.options.store.poolMigrations.recover();
    super.start();
  }

  /** Resumes open migrations, then reads all curves. @returns whether another round is needed */
  async runOnce(): Promise<boolean> {
    const { store, migrateAfterMs } = this.options;
    for (const mint of await store.poolMigrations.open()) {
      if (!this.signal.aborted) await this.#take(mint);
    }
    if (migrateAfterMs === null) return (await store.poolMigrations.open()).length > 0;
    for await (const tokens of store.tokens.all(TOKENS_AT_ONCE)) {
      const open = tokens.filter(({ tokenMint }) => !this.#migrated.has(tokenMint));
      for (const mint of await this.#findDue(open, migrateAfterMs)) {
        if (!this.signal.aborted) await this.#take(mint);
      }
      if (this.signal.aborted || tokens.length < TOKENS_AT_ONCE) break;
      // Yields even without a call, so that requests are served in between.
      await sleep(store.clock, open.length === 0 ? 0 : PAUSE_MS, this.signal);
    }
    return true;
  }

  async #findDue(tokens: readonly TokenRef[], migrateAfterMs: number): Promise<string[]> {
    if (tokens.length === 0) return [];
    const { keeper, store } = this.options;
    const progress = await keeper.readProgress(tokens);
    const latest = store.clock.now() - migrateAfterMs;
    const due: string[] = [];
    for (const [index, { tokenMint }] of tokens.entries()) {
      const one = progress[index];
      if (!one || "unreadable" in one) continue;
      if (one.isMigrated) this.#migrated.add(tokenMint);
      else if (one.completedAt !== null && one.completedAt <= latest) due.push(tokenMint);
    }
    return due;
  }

  /** Leases and migrates a token. Does nothing if another server holds it. */
  async #take(tokenMint: string): Promise<void> {
    const { store, log } = this.options;
    const lease = new Lease(this.options.leaseMs);
    const leased = await store.poolMigrations.lease(tokenMint, lease);
    if (leased === null) return;
    await lease.during(() => this.#migrate(leased, lease), {
      clock: store.clock,
      renew: () => store.poolMigrations.renew(tokenMint, lease),
      onError: (error) => log.error({ tokenMint, err: error }, "lease of a migration not renewed"),
    });
  }

  async #migrate(leased: LeasedMigration, lease: Lease): Promise<void> {
    const { store, keeper, log, migrateAfterMs } = this.options;
    const { tokenMint } = leased;
    try {
      const journal = migrationJournal(store.poolMigrations, leased, lease.id);
      const { signal } = this;
      if (await keeper.migrate(leased, { journal, maySign: migrateAfterMs !== null, signal })) {
        await this.options.crashPoint?.("migrate.recording");
        await store.poolMigrations.finish(tokenMint, lease.id);
        this.#migrated.add(tokenMint);
        log.info({ tokenMint, pool: leased.poolAddress }, "pool has migrated");
      } else {
        await this.#release(leased, lease.id);
      }
    } catch (error) {
      if (error instanceof LeaseLostError) return;
      const { poolAddress, attempts } = leased;
      const about = { tokenMint, pool: poolAddress, attempts, err: error };
      log.warn(about, "migration of a pool put off");
      await this.#release(leased, lease.id);
    }
  }

  #release({ tokenMint, attempts }: LeasedMigration, leaseId: string): Promise<void> {
    const { store } = this.options;
    const delay = this.signal.aborted
      ? 0
      : Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempts - 1, 10));
    const runAt = store.clock.now() + delay;
    return store.poolMigrations.release(tokenMint, leaseId, runAt);
  }
}
