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
import { type CrashPoint, noCrashPoint } from "./launchpad/crash-point.ts";
import { Metrics } from "./metrics/metrics.ts";
import { serveMetrics } from "./metrics/serve-metrics.ts";
import { Sessions } from "./modules/auth/sessions.ts";
import { ClaimSubmitter } from "./modules/claims/submitter.ts";
import { ChainMonitor } from "./modules/health/chain-monitor.ts";
import { DatabaseMonitor } from "./modules/health/database-monitor.ts";
import { openChain } from "./open-chain.ts";
import { openStore } from "./store/store.ts";
import { Worker } from "./worker/worker.ts";

/** How long requests may take to end once the server is told to stop, in milliseconds. */
const DRAIN_MS = 5_000;
/** How long the answers of interrupted claims may take to go out, in milliseconds. */
const LAST_ANSWERS_MS = 500;
/**
 * How long a stop may take in all, in milliseconds. A launch or claim that then still waits for a
 * node is as safe as after a crash: what it signed is stored, and after the stop it stores nothing.
 */
const STOP_MS = 8_000;

export interface ServerDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** Crash tests end the process there. */
  readonly crashPoint?: CrashPoint;
}

export interface RunningServer {
  /** Where it listens, for example `http://127.0.0.1:8787`. */
  readonly url: string;
  /** Where Prometheus asks; null without metrics. */
  readonly metricsUrl: string | null;
  /** Answers the requests it has, lets the worker finish, and closes everything. */
  stop(): Promise<void>;
}

/**
 * Starts the whole service: store, chain, worker and HTTP.
 *
 * @throws {Error} if the data directory is in use or belongs to another chain, the chain's settings
 * are wrong, or a port is taken
 */
export async function startServer(
  config: Config,
  { clock, log, crashPoint = noCrashPoint }: ServerDeps,
): Promise<RunningServer> {
  const warning = proxyWarning(config);
  if (warning !== null) log.warn(warning);
  prepareDataDirectory(config.dataDir, log);
  const files = dataFiles(config.dataDir);

  // Closed in reverse order: here if the start fails, otherwise by `stop`.
  using opened = new DisposableStack();
  const lock = lockDataDirectory(config.dataDir);
  opened.defer(() => lock.release());
  const metrics = config.metrics && new Metrics();
  const store = openStore(files.database, clock, (status, count) =>
    metrics?.launchesEnded(status, count),
  );
  opened.defer(() => store.close());
  const chain = await openChain(config, {
    clock,
    log,
    spending: store.spending,
    binding: store.chainBinding,
    crashPoint,
    ...(metrics && { onRpc: metrics.onRpc }),
  });
  opened.defer(() => chain.close());

  const launchpad = metrics?.meter(chain.launchpad) ?? chain.launchpad;
  const sessions = new Sessions(clock, ...jwtSecrets(config));
  const chainMonitor = new ChainMonitor(launchpad, log);
  const databaseMonitor = new DatabaseMonitor(store, config.dataDir, log);
  const { claims, tokens, launches } = store;
  const submitter = new ClaimSubmitter(claims, tokens, launchpad, clock, log, crashPoint);
  const worker = new Worker({
    store: launches,
    launchpad,
    clock,
    log,
    concurrency: config.workerConcurrency,
    crashPoint,
  });
  const app = createApp({
    store,
    chain: { ...chain, launchpad },
    submitter,
    chainMonitor,
    databaseMonitor,
    sessions,
    clock,
    log,
    publicUrl: config.publicUrl,
    limits: config.limits,
    observers: [
      // The disk may be the cause of a 500.
      ({ status }) => status === 500 && databaseMonitor.check(),
      ...(metrics ? [metrics.observeRequest] : []),
    ],
    onLaunchAccepted: () => {
      void crashPoint("launch.accepted");
      worker.wake();
    },
  });

  let metricsUrl: string | null = null;
  if (metrics && config.metrics) {
    metrics.watch({ launches, chainMonitor, databaseMonitor, clock });
    const metricsServer = serveMetrics(metrics, config.metrics);
    opened.defer(() => void metricsServer.stop(true));
    metricsUrl = `${metricsServer.url.origin}/metrics`;
  }
  const http = listen(app, { hostname: config.host, port: config.port });
  // Not awaited: the first probe of a real cluster may take long.
  void chainMonitor.start();
  databaseMonitor.check();
  claims.forgetExpired(clock.now());
  submitter.resume();
  worker.start();
  const databases = [files.database, ...(chain.sandbox === null ? [] : [files.localLedger])];
  const checkpointers = databases.map((path) => new Checkpointer(path, log));

  async function drain(): Promise<void> {
    const answered = http.stop();
    await waitAtMost(DRAIN_MS, Promise.all([answered, worker.stop()]));
    // Claims that still wait for the chain are answered with 503; the next start resumes them.
    await submitter.stop();
    await waitAtMost(LAST_ANSWERS_MS, answered);
    await http.stop(true);
    await worker.stop();
    await Promise.all(checkpointers.map((checkpointer) => checkpointer.stop()));
  }

  const untilStop = opened.move();
  return {
    url: http.url.origin,
    metricsUrl,
    async stop() {
      chainMonitor.stop();
      databaseMonitor.stop();
      await waitAtMost(STOP_MS, drain());
      untilStop.dispose();
    },
  };
}
