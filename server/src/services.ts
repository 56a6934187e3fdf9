import { hostname } from "node:os";
import type { Logger } from "pino";
import { SharedRead } from "./base/cache.ts";
import { type Clock, HOUR_MS } from "./base/clock.ts";
import { VERSION } from "./base/version.ts";
import type { Config } from "./config/config.ts";
import { jwtSecretOf, openMintSecret, settingsPrints } from "./data/secrets.ts";
import { BearerTokens } from "./http/bearer-tokens.ts";
import type { PauseReason } from "./http/endpoint.ts";
import type { CrashPoint } from "./launchpad/crash-point.ts";
import type { Metrics } from "./metrics/metrics.ts";
import {
  AdminService,
  CurrentSteering,
  readClaimable,
  ServerReports,
} from "./modules/admin/service.ts";
import { ChangeWatch, EventReaders } from "./modules/events/event-readers.ts";
import { PoolWatch } from "./modules/events/pool-watch.ts";
import { toWire } from "./modules/events/service.ts";
import { ChainMonitor, DatabaseMonitor, HealthService } from "./modules/health/service.ts";
import { ImageDecoder } from "./modules/images/decoder.ts";
import { Submitter } from "./modules/signing/submitter.ts";
import { Deliverer } from "./modules/webhooks/deliverer.ts";
import { ReceiverClient, type ResolveHost } from "./modules/webhooks/post.ts";
import type { OpenChain } from "./open-chain.ts";
import type { Reserved } from "./reserve.ts";
import type { Store } from "./store/store.ts";
import { Keeper } from "./worker/keeper.ts";
import { signingDeadlines, waitLimit } from "./worker/wait-limit.ts";
import { Worker } from "./worker/worker.ts";

export interface Wiring {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: Store;
  readonly chain: OpenChain;
  readonly drain: Reserved["drain"];
  readonly metrics: Metrics | null;
  readonly crashPoint?: CrashPoint | undefined;
  /** How long launches and claims are leased, in milliseconds. Tests shorten it. */
  readonly leaseMs?: number | undefined;
  readonly resolveReceiver?: ResolveHost | undefined;
}

export type Services = ReturnType<typeof makeServices>;

export function makeServices(of: Wiring) {
  const { config, clock, log, store, chain } = of;
  const { budget } = chain;
  const jwtSecret = jwtSecretOf(config);
  const chainMonitor = new ChainMonitor(chain.launchpad, clock, log);
  const databaseMonitor = new DatabaseMonitor(store, log);
  const operator = operatorParts(of);
  const { pauseReason } = operator;
  const launches = launchParts(of, () => pauseReason("launches") !== null);
  const events = eventParts(of);
  const monitors = { chainMonitor, databaseMonitor, pauseReason, budget };
  const { launches: limits, minAgentLamports } = config.limits;
  const health = new HealthService({
    ...monitors,
    store,
    drain: of.drain,
    network: chain.network,
    reports: operator.reports,
    payers: limits.payers,
  });
  const admin = new AdminService({
    store,
    steering: operator.steering,
    chainMonitor,
    readHealth: () => health.check(),
    limits,
    chain: config.chain.chain,
    dbcConfig: config.chain.chain === "solana" ? config.chain.dbcConfig : null,
    minAgentLamports,
    budget,
    onLaunchAccepted: () => launches.worker.wake(),
  });
  const readUncollected = () => readClaimable(store, chain.partner);
  return {
    ...operator,
    ...launches,
    ...events,
    ...monitors,
    health,
    admin,
    uncollected: new SharedRead(readUncollected, HOUR_MS, clock),
    imageDecoder: new ImageDecoder(),
    bearerTokens: new BearerTokens(store.clock, jwtSecret),
    /** What servers on a shared database derive their nonces' key from; null for a lone server. */
    nonceSecret: store.isShared ? jwtSecret : null,
  };
}

function operatorParts({ config, log, store }: Wiring) {
  const server = {
    id: crypto.randomUUID(),
    host: hostname(),
    pid: process.pid,
    version: VERSION,
    startedAt: store.clock.now(),
    url: config.publicUrl,
    settings: settingsPrints(config, openMintSecret(config)),
  };
  const report = () => ({ ...server, steeringVersion: steering.current.version });
  const reports = new ServerReports(store, report, log);
  const steering = new CurrentSteering(store.operator, log, () => void reports.wake());
  const pauseReason: PauseReason = (what) => steering.current.pauses[what] ?? null;
  return { steering, reports, pauseReason };
}

function launchParts(of: Wiring, isPaused: () => boolean) {
  const { config, log, store, chain, metrics, crashPoint, leaseMs } = of;
  const { maxPerHour, maxWaitMs, signWithinMs } = config.limits.launches;
  const common = { store, log, crashPoint, leaseMs };
  const onTried = metrics?.claimTried;
  const submitter = new Submitter({ ...common, chain: chain.signing, onTried });
  const worker = new Worker({
    ...common,
    launchpad: chain.launchpad,
    isPaused,
    concurrency: config.workerConcurrency,
    maxPerHour,
    shares: config.limits.launches,
  });
  const isAble = () => !isPaused() && !worker.isKeptFromSigning;
  const maxWait = Number.isFinite(maxWaitMs) ? waitLimit(store, { maxWaitMs, isAble, log }) : null;
  const { keeper } = chain;
  const seconds = config.chain.chain === "solana" ? config.chain.migrateAfterSeconds : null;
  const migrateAfterMs = seconds === null ? null : seconds * 1_000;
  return {
    submitter,
    worker,
    maxWait,
    deadlines: signingDeadlines(store, signWithinMs, { ...chain.signing, log }),
    keeper: keeper && new Keeper({ ...common, keeper, migrateAfterMs }),
  };
}

function eventParts({ config, clock, log, store, chain, metrics, ...of }: Wiring) {
  const { events, shares, maxWebhooksOfAgent: maxOfAgent } = config.limits;
  const eventReaders = new EventReaders(events.streams, clock);
  const changeWatch = new ChangeWatch(store, eventReaders);
  if (store.isShared) eventReaders.onFirst = () => changeWatch.start();
  const poolWatch = new PoolWatch({
    store,
    chain: chain.launchpad,
    log,
    everyMs: events.watchEveryMs,
    onRound: metrics?.onPoolRound,
  });
  const allowsLoopback = config.allowsLocalReceivers;
  const client = new ReceiverClient({ allowsLoopback, resolve: of.resolveReceiver });
  const { leaseMs } = of;
  const webhooks = new Deliverer({ store, client, toWire, log, leaseMs, maxOfAgent, shares });
  return { eventReaders, changeWatch, poolWatch, webhooks };
}
