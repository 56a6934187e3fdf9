import { hostname } from "node:os";
import type { Logger } from "pino";
import { createApp } from "./app.ts";
import type { Clock } from "./base/clock.ts";
import { nextTurn } from "./base/next-turn.ts";
import { VERSION } from "./base/version.ts";
import { waitAtMost } from "./base/wait-at-most.ts";
import { type Config, dataFiles } from "./config/config.ts";
import { loopbackUrlProblem, proxyWarning } from "./config/warnings.ts";
import { jwtSecrets } from "./data/jwt-secrets.ts";
import { sharedSecretsProblem } from "./data/shared-secrets.ts";
import { NO_BUDGET } from "./domain/intake-limits.ts";
import { type CrashPoint, noCrashPoint } from "./launchpad/crash-point.ts";
import { adminRoutes } from "./modules/admin/routes.ts";
import { ServerReports } from "./modules/admin/server-reports.ts";
import { AdminService } from "./modules/admin/service.ts";
import { listenForOperator } from "./modules/admin/socket.ts";
import { CurrentSteering } from "./modules/admin/steering.ts";
import { Sessions } from "./modules/auth/sessions.ts";
import { ClaimSubmitter } from "./modules/claims/submitter.ts";
import { loadConsole } from "./modules/console/load.ts";
import { ChangeWatch } from "./modules/events/change-watch.ts";
import { EventReaders } from "./modules/events/event-readers.ts";
import { PoolWatch } from "./modules/events/pool-watch.ts";
import { eventRetention } from "./modules/events/retention.ts";
import { toWire } from "./modules/events/service.ts";
import { ChainMonitor } from "./modules/health/chain-monitor.ts";
import { DatabaseMonitor } from "./modules/health/database-monitor.ts";
import { HealthService } from "./modules/health/service.ts";
import { ImageDecoder } from "./modules/images/decoder.ts";
import { imageUpkeep } from "./modules/images/upkeep.ts";
import { Deliverer } from "./modules/webhooks/deliverer.ts";
import { ReceiverClient } from "./modules/webhooks/post.ts";
import type { ResolveHost } from "./modules/webhooks/resolve-host.ts";
import { openChain } from "./open-chain.ts";
import { openStore } from "./open-store.ts";
import { type Reserved, reserve } from "./reserve.ts";
import { ForeignLaunches } from "./worker/foreign-launches.ts";
import { Keeper } from "./worker/keeper.ts";
import { WaitLimit } from "./worker/wait-limit.ts";
import { Worker } from "./worker/worker.ts";

/** How long requests may take to end once the server stops, in milliseconds. */
const LAST_REQUESTS_MS = 5_000;
/** How long the answers of interrupted claims may take to go out, in milliseconds. */
const LAST_ANSWERS_MS = 500;
/**
 * How long a stop may take in all, in milliseconds. A launch or claim that then still waits for a
 * node is as safe as after a crash: what it signed is stored, and after the stop it stores nothing.
 */
const STOP_MS = 8_000;

/** How long a start waits for the first look at the launch wallet's transactions, in milliseconds. */
const FIRST_LOOK_MS = 3_000;
/** What `serve --paused` sets; on several servers of one database it holds for all. */
const STARTS_PAUSED = [
  { pauses: { launches: "the operator has started the service with launches paused" } },
  { actor: "tokend", action: "pause", subject: "launches", detail: "--paused", reason: null },
] as const;

export interface ServerDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** Crash tests end the process there. */
  readonly crashPoint?: CrashPoint;
  /** How long launches and claims are leased, in milliseconds; tests shorten it. */
  readonly leaseMs?: number;
  /** What is reserved already; by default the start reserves it. The start or the stop releases it. */
  readonly reserved?: Reserved;
  /** Whether launches are paused from the start on, until the operator resumes them. */
  readonly isPaused?: boolean;
  /** Milliseconds between two looks at the launch wallet's transactions; tests shorten it. */
  readonly foreignLaunchesEveryMs?: number;
  /** Gives up the start, unless it is over: what it has opened is closed. */
  readonly giveUp?: AbortSignal;
  /** Milliseconds between two looks for launches that wait too long; tests shorten it. */
  readonly waitLooksEveryMs?: number;
  /** Returns the addresses of a receiver's name; tests ask their own DNS server. */
  readonly resolveReceiver?: ResolveHost;
}

export interface RunningServer {
  /** Where it listens, for example `http://127.0.0.1:8787`. */
  readonly url: string;
  /** Where Prometheus asks; null without metrics. */
  readonly metricsUrl: string | null;
  /** From now on `/health` answers 503; everything else is served as before. */
  drain(): void;
  /** Answers the requests it has, lets the worker finish, and closes everything. */
  stop(): Promise<void>;
}

/**
 * Starts the whole service: store, chain, worker and HTTP. Its port answers that it is starting until
 * what the last server left is recovered.
 *
 * @throws {Error} if the data directory is in use or belongs to another chain, the chain's settings
 * are wrong, a port is taken, or it was given up
 */
export async function startServer(
  config: Config,
  {
    clock,
    log,
    crashPoint = noCrashPoint,
    leaseMs,
    resolveReceiver,
    reserved,
    giveUp,
    isPaused = false,
    foreignLaunchesEveryMs,
    waitLooksEveryMs,
  }: ServerDeps,
): Promise<RunningServer> {
  // Closed in reverse order: here if the start fails, otherwise by `stop`.
  await using opened = new AsyncDisposableStack();
  opened.defer(() => reserved?.release());
  const warnings = [proxyWarning(config), loopbackUrlProblem("PUBLIC_URL", config)];
  for (const warning of warnings) if (warning !== null) log.warn(warning);
  const missing = sharedSecretsProblem(config);
  if (missing !== null) throw new Error(missing);
  reserved ??= reserve(config, { clock, log });
  const { port, drain } = reserved;

  const metrics = config.metrics && new (await import("./metrics/metrics.ts")).Metrics();
  let deliverer: Deliverer | null = null;
  const eventReaders = new EventReaders(config.limits.events.streams, clock);
  const database = await openStore(config, {
    clock,
    log,
    onEnded: (status, count) => metrics?.launchesEnded(status, count),
    onEvents: (wallet) => {
      eventReaders.wake(wallet);
      deliverer?.wake(wallet);
    },
  });
  opened.defer(() => database.close());
  const { store } = database;
  const chain = await openChain(config, {
    clock,
    log,
    store,
    crashPoint,
    ...(metrics && { onRpc: metrics.onRpc }),
  });
  opened.defer(() => chain.close());
  giveUp?.throwIfAborted();

  const { launchpad } = chain;
  const [jwtSecret, previousJwtSecrets] = jwtSecrets(config);
  const sessions = new Sessions(store.clock, jwtSecret, previousJwtSecrets);
  const chainMonitor = new ChainMonitor(launchpad, clock, log);
  const databaseMonitor = new DatabaseMonitor(store, log);
  const leases = leaseMs === undefined ? {} : { leaseMs };
  const submitter = new ClaimSubmitter({
    ...{ store, chain: launchpad, log, crashPoint, ...leases },
    ...(metrics && { onTried: metrics.claimTried }),
  });
  const serverId = crypto.randomUUID();
  const startedAt = store.clock.now();
  const reports = new ServerReports(
    store,
    () => ({
      ...{ id: serverId, host: hostname(), pid: process.pid, version: VERSION, startedAt },
      ...{ url: config.publicUrl, steeringVersion: steering.current.version },
    }),
    log,
  );
  const steering = new CurrentSteering(store.operator, log, [
    { apply: ({ dbcConfig }) => chain.configs?.use(dbcConfig) },
    {
      apply: ({ logLevel }) => {
        log.level = logLevel ?? config.logLevel;
      },
    },
    // All servers can be asked which settings each of them follows.
    { apply: () => reports.report() },
  ]);
  const worker = new Worker({
    store,
    isPaused: () => steering.pauseReason("launches") !== null,
    launchpad,
    log,
    concurrency: config.workerConcurrency,
    maxPerHour: config.limits.launches.maxPerHour,
    shares: config.limits.launches,
    crashPoint,
    ...(metrics && { onTried: metrics.launchTried }),
    ...leases,
  });
  const waitLimit = new WaitLimit({
    clock: store.clock,
    store: store.launches,
    maxWaitMs: config.limits.launches.maxWaitMs,
    isAble: () => steering.pauseReason("launches") === null && !worker.isKeptFromSigning,
    log,
    ...(waitLooksEveryMs !== undefined && { everyMs: waitLooksEveryMs }),
  });
  const keeper =
    chain.keeper &&
    new Keeper({
      ...{ store, keeper: chain.keeper, log, crashPoint, ...leases },
      migrateAfterMs: migrateAfterMs(config),
    });
  const foreignLaunches =
    chain.walletHistory &&
    new ForeignLaunches({
      store,
      history: chain.walletHistory,
      pauseReason: () => steering.pauseReason("launches"),
      log,
      ...(foreignLaunchesEveryMs !== undefined && { everyMs: foreignLaunchesEveryMs }),
    });
  const imageDecoder = new ImageDecoder();
  opened.defer(() => imageDecoder.stop());
  const images = imageUpkeep(store, log);
  opened.defer(() => images.stop());
  const changeWatch = new ChangeWatch(store, eventReaders);
  if (store.isShared) eventReaders.onFirst = () => void changeWatch.start();
  const retention = eventRetention(store, config.limits.events.retentionMs, log);
  const poolWatch = new PoolWatch({
    store,
    chain: launchpad,
    log,
    everyMs: config.limits.events.watchEveryMs,
    ...(metrics && { onRound: metrics.onPoolRound }),
  });
  const receiverPolicy = { allowsLoopback: config.allowsLocalReceivers };
  const client = new ReceiverClient({
    ...receiverPolicy,
    ...(resolveReceiver && { resolve: resolveReceiver }),
  });
  const webhooks = new Deliverer({
    ...{ store, client, toWire, log, ...leases },
    maxOfAgent: config.limits.maxWebhooksOfAgent,
    shares: config.limits.shares,
  });
  deliverer = webhooks;
  const { pauseReason } = steering;
  const { network } = chain;
  const budget = chain.budget ?? NO_BUDGET;
  const health = new HealthService({
    ...{ store, chainMonitor, databaseMonitor, drain, network, pauseReason, budget },
  });
  const app = createApp({
    store,
    chain,
    submitter,
    eventReaders,
    receiverPolicy,
    imageDecoder,
    chainMonitor,
    health,
    sessions,
    nonceSecret: store.isShared ? jwtSecret : null,
    log,
    publicUrl: config.publicUrl,
    hosts: config.hosts,
    metadataBaseUrl: config.metadataBaseUrl,
    limits: config.limits,
    // SQLite has one server; it may list the one before it.
    liveServers: () => (store.isShared ? reports.live : 1),
    corsOrigins: config.corsOrigins,
    loadConsole: config.isConsoleOn ? loadConsole : null,
    observers: [
      // The disk may be the cause of a 500.
      ({ status }) => status === 500 && void databaseMonitor.check(),
      ...(metrics ? [metrics.observeRequest] : []),
    ],
    pauseReason,
    onWebhookDue: (wallet, what) =>
      what === "test" ? webhooks.wakeTests(wallet) : webhooks.wake(wallet),
    onLaunchAccepted: () => {
      void crashPoint("launch.accepted");
      worker.wake();
    },
    launchTrouble: () => chainMonitor.stall ?? worker.trouble,
  });

  const { launches, ...limits } = config.limits;
  const admin = new AdminService({
    ...{ store, steering, chainMonitor, health, limits: launches },
    chain: config.chain.chain,
    configs: chain.configs,
    minAgentLamports: limits.minAgentLamports,
    budget,
    onLaunchAccepted: () => worker.wake(),
  });
  let metricsUrl: string | null = null;
  if (metrics && config.metrics) {
    const { rpcNodes } = chain;
    metrics.watch({ store, chainMonitor, databaseMonitor, rpcNodes, pauseReason, budget });
    const { serveMetrics } = await import("./metrics/serve-metrics.ts");
    const metricsServer = serveMetrics(metrics, config.metrics);
    opened.defer(() => metricsServer.stop(true));
    metricsUrl = `${metricsServer.url.origin}/metrics`;
  }
  const http = port.server;
  async function finish(): Promise<void> {
    eventReaders.close();
    await Promise.all([changeWatch.stop(), retention.stop(), waitLimit.stop()]);
    const unwatched = poolWatch.stop();
    const answered = http.stop();
    const keeperStopped = keeper?.stop();
    await waitAtMost(LAST_REQUESTS_MS, Promise.all([answered, worker.stop(), webhooks.stop()]));
    // Claims that still wait for the chain are answered with 503; the next start resumes them.
    await submitter.stop();
    await waitAtMost(LAST_ANSWERS_MS, answered);
    await http.stop(true);
    await worker.stop();
    await keeperStopped;
    await foreignLaunches?.stop();
    await databaseMonitor.stop();
    await unwatched;
    await reports.stop();
  }

  const untilStop = opened.move();
  async function stop(): Promise<void> {
    chainMonitor.stop();
    await waitAtMost(STOP_MS, finish());
    await untilStop.disposeAsync();
  }

  try {
    // Not awaited: the first probe of a real cluster may take long.
    void chainMonitor.start();
    await databaseMonitor.check();
    if (isPaused) await store.operator.steer(...STARTS_PAUSED);
    await steering.read();
    await store.claims.forgetExpired(store.clock.now());
    await submitter.start();
    await worker.start();
    await keeper?.start();
    await webhooks.start();
    const socket = await listenForOperator(
      () => adminRoutes(admin, log),
      adminSockets(config),
      log,
    );
    if (socket) untilStop.defer(() => socket[Symbol.asyncDispose]());
    // Before launches are accepted, as far as the RPC answers: it looks at what is newer.
    if (foreignLaunches) await waitAtMost(FIRST_LOOK_MS, foreignLaunches.start());
    giveUp?.throwIfAborted();
    port.serve(app);
    // Who waits for the port is answered before what no request needs.
    await nextTurn();
    void images.start();
    reports.start();
    database.maintain();
    void retention.start();
    waitLimit.start();
    poolWatch.start();
    chain.maintain();
  } catch (error) {
    await stop();
    throw error;
  }
  const beginDrain = () => {
    drain.begin();
    // Their clients open others, which the balancer brings to another server.
    eventReaders.endAll();
  };
  return { url: http.url.origin, metricsUrl, drain: beginDrain, stop };
}

/** Several servers on PostgreSQL may have the same folder. */
function adminSockets({ dataDir, databaseUrl }: Config): string[] {
  const { adminSocket } = dataFiles(dataDir);
  if (databaseUrl === null) return [adminSocket];
  return [adminSocket, adminSocket.replace(/\.sock$/, `-${process.pid}.sock`)];
}

function migrateAfterMs({ chain }: Config): number | null {
  if (chain.chain === "local" || chain.migrateAfterSeconds === null) return null;
  return chain.migrateAfterSeconds * 1_000;
}
