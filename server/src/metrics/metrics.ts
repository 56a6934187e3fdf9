import { lamportsToSol } from "@tokenctl/shared/sol";
import { LAUNCH_PAYERS } from "@tokenctl/shared/words";
import type { Server } from "bun";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { freeBytes } from "../base/files.ts";
import { explainListening } from "../base/loopback.ts";
import { VERSION } from "../base/version.ts";
import type { MetricsConfig } from "../config/config.ts";
import type { LaunchBudget } from "../domain/intake-limits.ts";
import { type EndedLaunches, LAUNCH_ENDS } from "../domain/launch.ts";
import { SUBMIT_OUTCOMES } from "../domain/signing.ts";
import { WATCH_OUTCOMES, type WatchOutcome } from "../domain/token.ts";
import type { PauseReason } from "../http/endpoint.ts";
import { ANSWER_HEADERS } from "../http/headers.ts";
import type { RequestObserver } from "../http/requests.ts";
import type { ChainMonitor, DatabaseMonitor } from "../modules/health/service.ts";
import type { ConnectionOptions } from "../solana/connection.ts";
import { RPC_ERROR_TEXTS, RPC_METHODS } from "../solana/rpc-answer.ts";
import type { RpcNodes } from "../solana/rpc-nodes.ts";
import type { Store } from "../store/store.ts";

/** Process metrics of prom-client that are right on Bun; the first two's reading fills the others. */
const PROCESS_METRICS = new Set([
  "process_cpu_user_seconds_total",
  "nodejs_eventloop_lag_seconds",
  "process_cpu_seconds_total",
  "process_start_time_seconds",
  "process_resident_memory_bytes",
  "process_open_fds",
  "process_max_fds",
  "nodejs_eventloop_lag_p99_seconds",
]);

export interface MetricsSources {
  readonly store: Store;
  readonly chainMonitor: ChainMonitor;
  readonly databaseMonitor: DatabaseMonitor;
  readonly pauseReason: PauseReason;
  readonly budget: LaunchBudget;
  readonly rpcNodes: RpcNodes | null;
  readonly routes: readonly { readonly method: string; readonly path: string }[];
  readonly databaseFolder: string | null;
  readonly uncollected: () => Promise<bigint | null>;
}

/** Other methods get the label `other`, so that clients cannot add series. */
const METHODS = /^(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/;

const REQUEST_SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];

let ofProcess: Registry | undefined;

/** Returns the process metrics, shared by all servers: making them walks the whole heap. */
function processMetrics(): Registry {
  if (ofProcess) return ofProcess;
  ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  for (const { name } of ofProcess.getMetricsAsArray()) {
    if (!PROCESS_METRICS.has(name)) ofProcess.removeSingleMetric(name);
  }
  return ofProcess;
}

const RPC_OUTCOMES = ["ok", ...Object.keys(RPC_ERROR_TEXTS)];
/** The statuses that alerts count. A series of any other status appears with its first answer. */
const SERVER_ERRORS = [500, 502, 503];

/** Clients choose no label. Alerts' counters begin at 0: one that begins at 1 shows no increase. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = this.#counter("tokend_http_requests_total", "Requests answered", [
    "method",
    "route",
    "status",
  ]);
  readonly #requestSeconds = new Histogram({
    name: "tokend_http_request_duration_seconds",
    help: "Time from a request's headers to its answer",
    labelNames: ["method", "route"],
    buckets: REQUEST_SECONDS,
    registers: [this.#registry],
  });
  readonly #rpc = this.#counter(
    "tokend_rpc_requests_total",
    "JSON-RPC requests to the chain, by outcome",
    ["method", "outcome"],
  );
  readonly #rounds = this.#counter(
    "tokend_pool_watch_rounds_total",
    "Rounds over the pools, by outcome; with other_server another one of the database does them",
    ["outcome"],
  );
  readonly #ended = this.#counter(
    "tokend_launches_total",
    "Launches that have ended, by status, who pays, and why",
    ["status", "payer", "cause"],
  );
  readonly #claims = this.#counter(
    "tokend_claims_total",
    "Signed claims that were sent, by outcome; one that was put off is sent again",
    ["outcome"],
  );

  constructor() {
    // The event loop's lag counts from here.
    processMetrics();
    this.#gauge("tokend_build_info", "The program's version", ["version"]).set(
      { version: VERSION },
      1,
    );
    for (const outcome of WATCH_OUTCOMES) this.#rounds.inc({ outcome }, 0);
    for (const outcome of SUBMIT_OUTCOMES) this.#claims.inc({ outcome }, 0);
    for (const payer of LAUNCH_PAYERS) {
      for (const [status, causes] of Object.entries(LAUNCH_ENDS)) {
        for (const cause of causes) this.#ended.inc({ status, payer, cause }, 0);
      }
    }
    for (const method of RPC_METHODS) {
      for (const outcome of RPC_OUTCOMES) this.#rpc.inc({ method, outcome }, 0);
    }
  }

  readonly observeRequest: RequestObserver = (request) => {
    const method = METHODS.test(request.method) ? request.method : "other";
    const route = request.route ?? "none";
    this.#requests.inc({ method, route, status: request.status });
    this.#requestSeconds.observe({ method, route }, request.duration / 1000);
  };

  readonly onRpc: NonNullable<ConnectionOptions["onRpc"]> = (method, outcome) => {
    this.#rpc.inc({ method, outcome });
  };

  readonly onPoolRound = (outcome: WatchOutcome): void => {
    this.#rounds.inc({ outcome });
  };

  launchesEnded({ count, ...labels }: EndedLaunches): void {
    this.#ended.inc(labels, count);
  }

  readonly claimTried = (outcome: string): void => {
    this.#claims.inc({ outcome });
  };

  watch(of: MetricsSources): void {
    const { chainMonitor, databaseFolder, rpcNodes } = of;
    const { launches, clock } = of.store;
    const usable = "1 while the node is asked, 0 while it is left out";
    const showNodes = (gauge: Gauge<"node">) => {
      for (const { name: node, problem } of rpcNodes?.reports() ?? []) {
        gauge.set({ node }, problem === null ? 1 : 0);
      }
    };
    if (rpcNodes) this.#gauge("tokend_rpc_node_usable", usable, ["node"], showNodes);
    for (const { method, path: route } of of.routes) {
      for (const status of SERVER_ERRORS) this.#requests.inc({ method, route, status }, 0);
    }
    const secondsSince = (since: number | null) =>
      since === null ? 0 : Math.max(0, clock.now() - since) / 1000;
    this.#watch("tokend_launch_queue_depth", "Launches that wait or are in progress", async () => {
      return (await launches.backlog()).depth;
    });
    this.#watch("tokend_launch_queue_oldest_seconds", "Age of the oldest of them", async () => {
      return secondsSince((await launches.backlog()).oldestQueuedAt);
    });
    this.#watch("tokend_wallet_sol", "The launch wallet's balance when last read", () => {
      const { walletLamports } = chainMonitor.last;
      return walletLamports && Number(walletLamports) / 1e9;
    });
    this.#watch("tokend_wallet_launches", "For how many launches that lasts", () => {
      return chainMonitor.last.walletLaunches;
    });
    let uncollectedSol: number | null = null;
    this.#watch("tokend_uncollected_sol", "What tokend collect could take, hourly", () => {
      // A scrape does not wait for the chain: the next one gets its answer.
      void of.uncollected().then(
        (lamports) => {
          if (lamports !== null) uncollectedSol = lamportsToSol(lamports);
        },
        () => {},
      );
      return uncollectedSol;
    });
    if (databaseFolder !== null) {
      this.#watch("tokend_disk_free_bytes", "What the disk of DATA_DIR has left", () =>
        freeBytes(databaseFolder),
      );
    }
    this.#watch("tokend_spent_today_sol", "What launches took in this UTC day", async () =>
      lamportsToSol(await launches.spentToday()),
    );
    this.#watch("tokend_daily_limit_sol", "What they may take in a day; +Inf for no limit", () => {
      const limit = of.budget.dayBudget();
      return limit === null ? Number.POSITIVE_INFINITY : lamportsToSol(limit.maxDailyLamports);
    });
    this.#watch("tokend_chain_usable", "1 while launches and claims can reach the chain", () => {
      return chainMonitor.last.ok;
    });
    this.#watch("tokend_launches_paused", "1 while launches are paused", () => {
      return of.pauseReason("launches") !== null;
    });
    this.#watch("tokend_chain_stalled_seconds", "For how long the chain has landed nothing", () => {
      return secondsSince(chainMonitor.last.stalledSince ?? null);
    });
    this.#watch("tokend_database_writable", "1 while launches can be stored", () => {
      return of.databaseMonitor.problem === null;
    });
  }

  text(): Promise<string> {
    return Registry.merge([processMetrics(), this.#registry]).metrics();
  }

  /** Shows NaN for an unreadable value: if the database is down, the others are needed most. */
  #watch(
    name: string,
    help: string,
    read: () => Promise<number> | number | bigint | boolean | null | undefined,
  ): void {
    this.#gauge(name, help, [], async (gauge) => {
      try {
        gauge.set(Number((await read()) ?? Number.NaN));
      } catch {
        gauge.set(Number.NaN);
      }
    });
  }

  #counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]) {
    return new Counter({ name, help, labelNames: [...labelNames], registers: [this.#registry] });
  }

  #gauge<Label extends string = never>(
    name: string,
    help: string,
    labelNames: Label[] = [],
    collect = (_gauge: Gauge<Label>): unknown => null,
  ): Gauge<Label> {
    const registers = [this.#registry];
    return new Gauge({
      name,
      help,
      labelNames,
      registers,
      async collect() {
        await collect(this);
      },
    });
  }
}

const TEXT_FORMAT = "text/plain; version=0.0.4; charset=utf-8";

/** Listens on a separate port, whose load is the operator's. @throws {Error} if it is taken */
export function serveMetrics(metrics: Metrics, { host, port }: MetricsConfig): Server<undefined> {
  const answer = (text: string, status: number) =>
    new Response(text, { status, headers: { ...ANSWER_HEADERS, "content-type": TEXT_FORMAT } });
  const serve = () =>
    Bun.serve({
      hostname: host,
      port,
      reusePort: false,
      development: false,
      maxRequestBodySize: 1_024,
      routes: { "/metrics": { GET: async () => answer(await metrics.text(), 200) } },
      fetch: () => answer("Not found; see /metrics\n", 404),
      error: () => answer("The metrics cannot be read\n", 500),
    });
  const remedy = "set METRICS_PORT to another";
  return explainListening(serve, { hostname: host, port, remedy });
}
