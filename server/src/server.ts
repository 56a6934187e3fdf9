import type { Logger } from "pino";
import { createApp } from "./app.ts";
import { Checkpointer } from "./base/checkpointer.ts";
import type { Clock } from "./base/clock.ts";
import { waitAtMost } from "./base/wait-at-most.ts";
import { type Config, dataFiles } from "./config/config.ts";
import { proxyWarning } from "./config/proxy-warning.ts";
import { prepareDataDirectory } from "./data/directory.ts";
import { jwtSecrets } from "./data/jwt-secrets.ts";
import { lockDataDirectory } from "./data/lock.ts";
import { listen } from "./http/listen.ts";
import { type Checkpoint, noCheckpoint } from "./launchpad/checkpoint.ts";
import { Metrics } from "./metrics/metrics.ts";
import { serveMetrics } from "./metrics/serve-metrics.ts";
import { Sessions } from "./modules/auth/sessions.ts";
import { ClaimSubmitter } from "./modules/claims/submitter.ts";
import { ChainMonitor } from "./modules/health/chain-monitor.ts";
import { DatabaseMonitor } from "./modules/health/database-monitor.ts";
import { openChain } from "./open-chain.ts";
import { openStore } from "./store/store.ts";
import { Worker } from "./worker/worker.ts";

/** How long requests in hand may take to end once the server is told to stop, in milliseconds. */
const DRAIN_MS = 5_000;
/** How long the answers of claims that were broken off may take to go out, in milliseconds. */
const LAST_ANSWERS_MS = 500;
/**
 * How long stopping may take in all, in milliseconds. What then still waits for a node's answer is
 * as safe as after a crash: what was signed is stored, and nothing can be any more.
 */
const STOP_MS = 8_000;

export interface ServerDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** Crash tests end the process there. */
  readonly checkpoint?: Checkpoint;
}

export interface RunningServer {
  /** Where it listens, for example `http://127.0.0.1:8787`. */
  readonly url: string;
  /** Where Prometheus asks; null without metrics. */
  readonly metricsUrl: string | null;
  /** Answers what is in hand, lets the worker come to rest, and closes everything. */
  stop(): Promise<void>;
}

/**
 * Starts the whole service: store, chain, worker and HTTP.
 *
 * @throws {Error} where the data directory is in use or belongs to another chain, the chain's
 * settings are wrong, or the port is taken
 */
export async function startServer(
  config: Config,
  { clock, log, checkpoint = noCheckpoint }: ServerDeps,
): Promise<RunningServer> {
  const closers: (() => void)[] = [];
  const closeAll = () => {
    for (const close of closers.splice(0).reverse()) close();
  };
  const warning = proxyWarning(config);
  if (warning !== null) log.warn(warning);
  try {
    prepareDataDirectory(config.dataDir, log);
    const files = dataFiles(config.dataDir);
    const lock = lockDataDirectory(config.dataDir);
    closers.push(() => lock.release());
    const metrics = config.metrics === null ? null : new Metrics();
    const store = openStore(files.database, clock, (status, count) =>
      metrics?.launchesEnded(status, count),
    );
    closers.push(() => store.close());
    const chain = await openChain(config, {
      clock,
      log,
      spending: store.spending,
      binding: store.chainBinding,
      checkpoint,
      ...(metrics && { onRpc: metrics.onRpc }),
    });
    closers.push(() => chain.close());

    const launchpad = metrics?.meter(chain.launchpad) ?? chain.launchpad;
    const sessions = new Sessions(clock, ...jwtSecrets(config));
    const monitor = new ChainMonitor(launchpad, log);
    const databaseMonitor = new DatabaseMonitor(store, config.dataDir, log);
    const submitter = new ClaimSubmitter(
      store.claims,
      store.tokens,
      launchpad,
      clock,
      log,
      checkpoint,
    );
    const worker = new Worker({
      store: store.launches,
      launchpad,
      clock,
      log,
      concurrency: config.workerConcurrency,
      checkpoint,
    });
    const app = createApp({
      store,
      launchpad,
      submitter,
      monitor,
      databaseMonitor,
      sessions,
      clock,
      log,
      observers: [
        // A fault of ours may be the disk's.
        ({ status }) => status === 500 && databaseMonitor.check(),
        ...(metrics ? [metrics.observeRequest] : []),
      ],
      publicUrl: config.publicUrl,
      limits: config.limits,
      ...(chain.budget && { budget: chain.budget }),
      onLaunchAccepted: () => {
        void checkpoint("launch.accepted");
        worker.wake();
      },
      sandbox: chain.sandbox,
    });
    let metricsUrl: string | null = null;
    if (metrics && config.metrics) {
      metrics.watch({ launches: store.launches, monitor, databaseMonitor, clock });
      const metricsServer = serveMetrics(metrics, config.metrics);
      closers.push(() => void metricsServer.stop(true));
      metricsUrl = `${metricsServer.url.origin}/metrics`;
    }
    const http = listen(app, { hostname: config.host, port: config.port });
    // The first look at a real cluster may take long: nobody waits for it.
    void monitor.start();
    databaseMonitor.check();
    store.claims.forgetExpired(clock.now());
    submitter.resume();
    worker.start();
    const written = [files.database, ...(chain.sandbox === null ? [] : [files.localLedger])];
    const checkpointers = written.map((path) => new Checkpointer(path, log));

    return {
      url: http.url.origin,
      metricsUrl,
      async stop() {
        monitor.stop();
        databaseMonitor.stop();
        const rest = async () => {
          const answered = http.stop();
          await waitAtMost(DRAIN_MS, Promise.all([answered, worker.stop()]));
          // Claims that still wait for the chain are answered 503 and taken up at the next start.
          await submitter.stop();
          await waitAtMost(LAST_ANSWERS_MS, answered);
          await http.stop(true);
          await worker.stop();
          await Promise.all(checkpointers.map((checkpointer) => checkpointer.stop()));
        };
        await waitAtMost(STOP_MS, rest());
        closeAll();
      },
    };
  } catch (error) {
    closeAll();
    throw error;
  }
}
