import { lamportsToSol } from "@tokenctl/shared/sol";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { VERSION } from "../base/version.ts";
import type { LaunchBudget } from "../domain/intake-limits.ts";
import type { PauseReason } from "../http/endpoint.ts";
import type { ChainMonitor } from "../modules/health/chain-monitor.ts";
import type { DatabaseMonitor } from "../modules/health/database-monitor.ts";
import type { RpcNodes } from "../solana/rpc-nodes.ts";
import type { Store } from "../store/store.ts";
import { poolWatchMetrics } from "./pool-watch-metrics.ts";
import { requestMetrics } from "./request-metrics.ts";
import { nodeMetrics, rpcMetrics } from "./rpc-metrics.ts";

/** The process metrics of prom-client that are right on Bun too; the others are zero there. */
const PROCESS_METRICS = new Set([
  "process_cpu_seconds_total",
  "process_start_time_seconds",
  "process_resident_memory_bytes",
  "process_open_fds",
  "process_max_fds",
  "nodejs_eventloop_lag_mean_seconds",
  "nodejs_eventloop_lag_p99_seconds",
  "nodejs_eventloop_lag_max_seconds",
]);

/** Where the values come from that are read when Prometheus asks. */
export interface MetricsSources {
  readonly store: Pick<Store, "launches" | "clock">;
  readonly chainMonitor: ChainMonitor;
  readonly databaseMonitor: DatabaseMonitor;
  /** Why something is paused; null if it is not. */
  readonly pauseReason: PauseReason;
  readonly budget: LaunchBudget;
  /** Null unless there are several. */
  readonly rpcNodes: RpcNodes | null;
}

/** All metrics for Prometheus. Labels have few values, and clients can choose none of them. */
export class Metrics {
  readonly #registry = new Registry();
  readonly observeRequest = requestMetrics(this.#registry);
  readonly onRpc = rpcMetrics(this.#registry);
  readonly onPoolRound = poolWatchMetrics(this.#registry);
  readonly #ended = new Counter({
    name: "tokend_launches_total",
    help: "Launches that have ended, by status",
    labelNames: ["status"],
    registers: [this.#registry],
  });
  readonly #deploys = new Histogram({
    name: "tokend_launch_deploy_seconds",
    help: "Time that one try takes to put a launch on chain, by outcome",
    labelNames: ["outcome"],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 90, 120],
    registers: [this.#registry],
  });
  readonly #claims = new Counter({
    name: "tokend_claims_total",
    help: "Signed claims that were sent, by outcome; one that was put off is sent again",
    labelNames: ["outcome"],
    registers: [this.#registry],
  });
  readonly #claimed = new Counter({
    name: "tokend_claimed_sol_total",
    help: "SOL that confirmed claims paid",
    registers: [this.#registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    for (const { name } of this.#registry.getMetricsAsArray()) {
      const isProcess = name.startsWith("process_") || name.startsWith("nodejs_");
      if (isProcess && !PROCESS_METRICS.has(name)) this.#registry.removeSingleMetric(name);
    }
    new Gauge({
      name: "tokend_build_info",
      help: "The program's version",
      labelNames: ["version"],
      registers: [this.#registry],
    }).set({ version: VERSION }, 1);
  }

  launchesEnded(status: "success" | "failed" | "rate_limited", count: number): void {
    this.#ended.inc({ status }, count);
  }

  readonly launchTried = (outcome: string, seconds: number): void => {
    this.#deploys.observe({ outcome }, seconds);
  };

  /** Takes note of one try to send a signed claim. @param paidLamports what it paid, if it is confirmed */
  readonly claimTried = (outcome: string, paidLamports: bigint): void => {
    this.#claims.inc({ outcome });
    this.#claimed.inc(lamportsToSol(paidLamports));
  };

  watch({
    store: { launches, clock },
    chainMonitor,
    databaseMonitor,
    rpcNodes,
    pauseReason,
    budget,
  }: MetricsSources): void {
    if (rpcNodes) nodeMetrics(this.#registry, rpcNodes);
    // The other metrics are needed most while the database does not answer.
    const backlog = () => launches.backlog().catch(() => null);
    this.#watch("tokend_launch_queue_depth", "Launches that wait or are in progress", async () => {
      return (await backlog())?.depth ?? Number.NaN;
    });
    this.#watch("tokend_launch_queue_oldest_seconds", "Age of the oldest of them", async () => {
      const read = await backlog();
      if (read === null) return Number.NaN;
      const since = read.oldestCreatedAt;
      return since === null ? 0 : Math.max(0, clock.now() - since) / 1000;
    });
    this.#watch("tokend_wallet_sol", "The launch wallet's balance when last read", () => {
      const { walletLamports } = chainMonitor.last;
      return walletLamports === null ? Number.NaN : Number(walletLamports) / 1e9;
    });
    this.#watch("tokend_spent_today_sol", "What launches took in this UTC day", async () => {
      const spent = await launches.spentToday().catch(() => null);
      return spent === null ? Number.NaN : lamportsToSol(spent);
    });
    this.#watch("tokend_daily_limit_sol", "What they may take in a day; +Inf for no limit", () => {
      const limit = budget.dayBudget();
      return limit === null ? Number.POSITIVE_INFINITY : lamportsToSol(limit.maxDailyLamports);
    });
    this.#watch("tokend_chain_usable", "1 while launches and claims can reach the chain", () => {
      return chainMonitor.last.ok ? 1 : 0;
    });
    this.#watch("tokend_launches_paused", "1 while launches are paused", () => {
      return pauseReason("launches") === null ? 0 : 1;
    });
    this.#watch("tokend_chain_stalled_seconds", "For how long the chain has landed nothing", () => {
      const { stalledSince = null } = chainMonitor.last;
      return stalledSince === null ? 0 : Math.max(0, clock.now() - stalledSince) / 1000;
    });
    this.#watch("tokend_database_writable", "1 while launches can be stored", () => {
      return databaseMonitor.problem === null ? 1 : 0;
    });
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #watch(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      async collect() {
        this.set(await read());
      },
    });
  }
}
