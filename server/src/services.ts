import { hostname } from "node:os";
import type { Logger } from "pino";
import { createApp } from "./app.ts";
import type { Clock } from "./base/clock.ts";
import { SharedRead } from "./base/shared-read.ts";
import { HOUR_MS } from "./base/utc-day.ts";
import { VERSION } from "./base/version.ts";
import type { Config } from "./config/config.ts";
import { jwtSecrets } from "./data/secrets.ts";
import type { CrashPoint } from "./launchpad/crash-point.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { AdminService } from "./modules/admin/service.ts";
import { CurrentSteering, ServerReports } from "./modules/admin/steering.ts";
import { Sessions } from "./modules/auth/sessions.ts";
import { loadConsole } from "./modules/console/routes.ts";
import { ChangeWatch, EventReaders } from "./modules/events/event-readers.ts";
import { PoolWatch } from "./modules/events/pool-watch.ts";
import { toWire } from "./modules/events/service.ts";
import { ChainMonitor, DatabaseMonitor } from "./modules/health/monitors.ts";
import { HealthService } from "./modules/health/service.ts";
import { ImageDecoder } from "./modules/images/decoder.ts";
import { readClaimable } from "./modules/operator-view/routes.ts";
import { tokenVerifier } from "./modules/proofs/service.ts";
import { eventRetention, imageRetention, priceRetention } from "./modules/retention.ts";
import { Submitter } from "./modules/signing/submitter.ts";
import { Deliverer } from "./modules/webhooks/deliverer.ts";
import { ReceiverClient, type ResolveHost } from "./modules/webhooks/post.ts";
import type { OpenChain } from "./open-chain.ts";
import type { Reserved } from "./reserve.ts";
import type { Store } from "./store/store.ts";
import { ForeignLaunches } from "./worker/foreign-launches.ts";
import { Keeper } from "./worker/keeper.ts";
import { signingDeadlines, WaitLimit } from "./worker/wait-limit.ts";
import { Worker } from "./worker/worker.ts";

export interface ServicesDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly crashPoint?: CrashPoint | undefined;
  readonly leaseMs?: number | undefined;
  readonly resolveReceiver?: ResolveHost | undefined;
  readonly drain: Reserved["drain"];
  readonly store: Store;
  readonly chain: OpenChain;
  readonly metrics: Metrics | null;
}

/** Makes what works on the store and the chain. Nothing of it runs yet. */
export function makeServices(config: Config, deps: ServicesDeps) {
  const { clock, log, crashPoint, leaseMs, drain, store, chain, metrics } = deps;
  const { launches: launchLimits, ...limits } = config.limits;
  const { network, budget, launchpad } = chain;
  const secrets = jwtSecrets(config);

  const chainMonitor = new ChainMonitor(launchpad, clock, log);
  const databaseMonitor = new DatabaseMonitor(store, log);
  const id = crypto.randomUUID();
  const startedAt = store.clock.now();
  const reports = new ServerReports(
    store,
    () => ({
      id,
      host: hostname(),
      pid: process.pid,
      version: VERSION,
      startedAt,
      url: config.publicUrl,
      steeringVersion: steering.current.version,
    }),
    log,
  );
  const steering = new CurrentSteering(store.operator, log, [
    ({ dbcConfig }) => chain.configs?.use(dbcConfig),
    ({ logLevel }) => {
      log.level = logLevel ?? config.logLevel;
    },
    // All servers can be asked which settings each of them follows.
    () => void reports.wake(),
  ]);
  const { pauseReason } = steering;

  const submitter = new Submitter({
    store,
    chain: chain.signing,
    log,
    crashPoint,
    leaseMs,
    onTried: metrics?.claimTried,
  });
  const worker = new Worker({
    store,
    isPaused: () => pauseReason("launches") !== null,
    launchpad,
    log,
    concurrency: config.workerConcurrency,
    maxPerHour: launchLimits.maxPerHour,
    shares: launchLimits,
    crashPoint,
    leaseMs,
    onTried: metrics?.launchTried,
  });
  const waitLimit = new WaitLimit({
    clock: store.clock,
    store: store.launches,
    maxWaitMs: launchLimits.maxWaitMs,
    isAble: () => pauseReason("launches") === null && !worker.isKeptFromSigning,
    log,
  });
  const { launches, clock: agreed } = store;
  const deadlines = launchLimits.payers.includes("agent")
    ? signingDeadlines({ clock: agreed, launches, withinMs: launchLimits.signWithinMs, log })
    : null;
  const keeper =
    chain.keeper &&
    new Keeper({
      store,
      keeper: chain.keeper,
      log,
      crashPoint,
      leaseMs,
      migrateAfterMs: migrateAfterMs(config),
    });
  const foreignLaunches =
    chain.walletHistory &&
    new ForeignLaunches({
      store,
      history: chain.walletHistory,
      pauseReason: () => pauseReason("launches"),
      log,
    });

  const eventReaders = new EventReaders(limits.events.streams, clock);
  const changeWatch = new ChangeWatch(store, eventReaders);
  if (store.isShared) eventReaders.onFirst = () => changeWatch.start();
  const poolWatch = new PoolWatch({
    store,
    chain: launchpad,
    log,
    everyMs: limits.events.watchEveryMs,
    onRound: metrics?.onPoolRound,
  });
  const receiverPolicy = { allowsLoopback: config.allowsLocalReceivers };
  const webhooks = new Deliverer({
    store,
    client: new ReceiverClient({ ...receiverPolicy, resolve: deps.resolveReceiver }),
    toWire,
    log,
    leaseMs,
    maxOfAgent: limits.maxWebhooksOfAgent,
    shares: limits.shares,
  });
  const imageDecoder = new ImageDecoder();

  const health = new HealthService({
    store,
    chainMonitor,
    databaseMonitor,
    drain,
    network,
    payers: launchLimits.payers,
    pauseReason,
    budget,
  });
  const admin = new AdminService({
    store,
    steering,
    chainMonitor,
    readHealth: () => health.check(),
    limits: launchLimits,
    chain: config.chain.chain,
    configs: chain.configs,
    minAgentLamports: limits.minAgentLamports,
    budget,
    consoleUrl: config.console === "off" ? null : config.publicUrl,
    onLaunchAccepted: () => worker.wake(),
  });
  const sessions = new Sessions(store.clock, secrets);
  const operatorView = {
    store,
    sessions: new Sessions(store.clock, secrets, { audience: "tokend-operator" }),
    admin,
    partner: chain.partner,
    rpcNodes: chain.rpcNodes,
  };
  const { askRpc } = chain;
  const ownUrl = config.metadataBaseUrl === config.publicUrl ? config.publicUrl : null;
  const app = createApp({
    store,
    chain,
    verifyToken: askRpc && tokenVerifier({ askRpc, tokens: store.tokens, ownUrl }),
    submitter,
    crashPoint,
    eventReaders,
    receiverPolicy,
    imageDecoder,
    chainMonitor,
    health,
    sessions,
    operatorView,
    nonceSecret: store.isShared ? secrets[0] : null,
    log,
    publicUrl: config.publicUrl,
    hosts: config.hosts,
    metadataBaseUrl: config.metadataBaseUrl,
    limits: config.limits,
    // SQLite has one server; it may list the one before it.
    liveServers: () => (store.isShared ? reports.live : 1),
    corsOrigins: config.corsOrigins,
    loadConsole: config.console === "off" ? null : loadConsole,
    isConsolePrivate: config.console === "private",
    observers: [
      // The disk may be the cause of a 500.
      ({ status }) => status === 500 && void databaseMonitor.wake(),
      ...(metrics ? [metrics.observeRequest] : []),
    ],
    pauseReason,
    onWebhookDue: (wallet, what) =>
      what === "test" ? webhooks.wakeTests(wallet) : webhooks.wake(wallet),
    onLaunchAccepted: () => {
      void crashPoint?.("launch.accepted");
      worker.wake();
    },
    launchTrouble: () => chainMonitor.stall ?? worker.trouble,
  });
  const { rpcNodes } = chain;
  const uncollected = new SharedRead(
    () => readClaimable(operatorView),
    () => HOUR_MS,
    clock,
  );
  metrics?.watch({
    store,
    chainMonitor,
    databaseMonitor,
    rpcNodes,
    pauseReason,
    budget,
    routes: app.routes,
    databaseFolder: store.isShared ? null : config.dataDir,
    uncollected: () => uncollected.get(),
  });

  return {
    app,
    admin,
    chainMonitor,
    databaseMonitor,
    steering,
    submitter,
    foreignLaunches,
    eventReaders,
    imageDecoder,
    /** What works beside the requests, and in no order. */
    upkeep: [
      worker,
      keeper,
      webhooks,
      { stop: () => changeWatch.stop() },
      poolWatch,
      waitLimit,
      deadlines,
      eventRetention(store, limits.events.retentionMs, log),
      priceRetention(store, log),
      imageRetention(store, log),
      reports,
    ],
    onEvents(wallet: string): void {
      eventReaders.wake(wallet);
      webhooks.wake(wallet);
    },
  };
}

function migrateAfterMs({ chain }: Config): number | null {
  if (chain.chain === "local" || chain.migrateAfterSeconds === null) return null;
  return chain.migrateAfterSeconds * 1_000;
}
