import { createApp } from "./app.ts";
import { nextTurn, waitAtMost } from "./base/clock.ts";
import { type Part, startParts } from "./base/parts.ts";
import { type Config, dataFiles } from "./config/config.ts";
import { sharedSecretsProblem } from "./data/secrets.ts";
import { adminCommands } from "./modules/admin/commands.ts";
import { operatorSocket } from "./modules/admin/socket.ts";
import { retention } from "./modules/retention.ts";
import { openChain } from "./open-chain.ts";
import { openStore } from "./open-store.ts";
import { type Reserved, reserve } from "./reserve.ts";
import { makeServices, type Services, type Wiring } from "./services.ts";

const LAST_REQUESTS_MS = 5_000;
const LAST_ANSWERS_MS = 500;
/** How long a stop may take, in milliseconds. Work that still waits for a node then is stored. */
const STOP_MS = 8_000;

/** What `serve --paused` sets. It holds for all servers of a database. */
const STARTS_PAUSED = [
  { pauses: { launches: "the operator has started the service with launches paused" } },
  { actor: "tokend", action: "pause", subject: "launches", detail: "--paused", reason: null },
] as const;

export interface ServerDeps
  extends Pick<Wiring, "clock" | "log" | "crashPoint" | "leaseMs" | "resolveReceiver"> {
  /** Already reserved; otherwise the start reserves it. The start or the stop releases it. */
  readonly reserved?: Reserved;
  readonly isPaused?: boolean;
  readonly isNewDatabase?: boolean;
  /** Gives up an unfinished start, and closes what it has opened. */
  readonly giveUp?: AbortSignal;
}

export interface RunningServer {
  readonly url: string;
  readonly metricsUrl: string | null;
  /** Makes `/ready` and `/health` answer 503 from now on; everything else is served as before. */
  drain(): void;
  stop(): Promise<void>;
}

/**
 * Starts a server. Its port answers "starting" until what the last server left is recovered.
 * @throws {Error} if the data directory is in use or belongs to another chain, the chain's settings
 * are wrong, a port is taken, or the start was given up
 */
export async function startServer(config: Config, deps: ServerDeps): Promise<RunningServer> {
  const { log } = deps;
  // Everything that is open closes in reverse order: here if the start fails, otherwise by `stop`.
  await using opened = new AsyncDisposableStack();
  const open = await openAll(config, deps, opened);
  const { reserved, services, metricsUrl } = open;
  const stopParts = await startParts(partsOf(config, deps, open), {
    stopMs: STOP_MS,
    clock: deps.clock,
    onStopError: (error) => log.error({ err: error }, "a part of the server did not stop"),
  });
  const untilStop = opened.move();
  let stopped: Promise<void> | null = null;
  // Answers the clients that wait for the port before the upkeep begins.
  await nextTurn();
  return {
    url: reserved.port.server.url.origin,
    metricsUrl,
    drain() {
      reserved.drain.isDraining = true;
      // Clients reconnect, and the balancer sends them to another server.
      services.eventReaders.endAll();
    },
    stop() {
      stopped ??= stopParts().then(() => untilStop.disposeAsync());
      return stopped;
    },
  };
}

type Open = Awaited<ReturnType<typeof openAll>>;

async function openAll(config: Config, deps: ServerDeps, opened: AsyncDisposableStack) {
  const { clock, log, crashPoint, giveUp } = deps;
  const reserved = opened.adopt(deps.reserved ?? reserve(config, deps), (it) => it.release());
  const missing = sharedSecretsProblem(config);
  if (missing !== null) throw new Error(missing);
  const metrics = config.metrics && new (await import("./metrics/metrics.ts")).Metrics();
  let services: Services | null = null;
  const store = await openStore(config, {
    clock,
    isNewDatabase: deps.isNewDatabase,
    onEnded: (ended) => metrics?.launchesEnded(ended),
    onEvents(wallet) {
      services?.eventReaders.wake(wallet);
      services?.webhooks.wake(wallet);
    },
  });
  opened.defer(() => store.close());
  const onRpc = metrics?.onRpc;
  const chain = await openChain(config, { clock, log, store, crashPoint, onRpc });
  opened.defer(() => chain.close());
  giveUp?.throwIfAborted();
  const wiring = { ...deps, config, drain: reserved.drain, store, chain, metrics };
  const made = makeServices(wiring);
  services = made;
  const app = createApp(wiring, made);
  opened.defer(() => made.imageDecoder.stop());
  metrics?.watch({
    ...made,
    store,
    rpcNodes: chain.rpcNodes,
    routes: app.routes,
    databaseFolder: store.isShared ? null : config.dataDir,
    uncollected: () => made.uncollected.get(),
  });
  const metricsServer =
    metrics &&
    config.metrics &&
    (await import("./metrics/metrics.ts")).serveMetrics(metrics, config.metrics);
  opened.defer(() => metricsServer?.stop(true));
  const metricsUrl = metricsServer && `${metricsServer.url.origin}/metrics`;
  return { reserved, store, services: made, app, metricsUrl };
}

function partsOf(
  config: Config,
  deps: ServerDeps,
  { reserved, store, services, app }: Open,
): readonly (readonly (Part | null)[])[] {
  const { chainMonitor, databaseMonitor, steering, changeWatch } = services;
  const { limits } = config;
  const { adminSocket } = dataFiles(config.dataDir);
  return [
    // Not awaited: the first probe of a real cluster may take long.
    [chainMonitor, { start: () => databaseMonitor.begin(), stop: () => databaseMonitor.stop() }],
    [
      { start: () => deps.isPaused && store.operator.steer(...STARTS_PAUSED) },
      { start: () => steering.read() },
      { start: () => store.prepared.forgetExpired(store.clock.now()) },
      services.submitter,
    ],
    [
      operatorSocket(adminCommands(services.admin, deps.log), adminSocket, deps.log),
      services.worker,
      services.keeper,
      services.webhooks,
      // The first client that waits for an event starts it.
      { stop: () => changeWatch.stop() },
      services.poolWatch,
      services.maxWait,
      services.deadlines,
      ...Object.values(retention(store, limits.events.retentionMs, deps.log)),
      services.reports,
      requests(reserved.port, { ...services, app }, deps),
    ],
  ];
}

function requests(
  { server, serve }: Reserved["port"],
  { app, eventReaders, submitter }: Pick<Open, "app"> & Services,
  { log, clock, giveUp }: ServerDeps,
): Part {
  return {
    start() {
      giveUp?.throwIfAborted();
      serve(app);
    },
    async stop() {
      eventReaders.close();
      const answered = server.stop();
      if (!(await waitAtMost(LAST_REQUESTS_MS, answered, clock)))
        log.warn("requests are cut short");
      // Claims that still wait for the chain are answered with 503; the next start resumes them.
      await submitter.stop();
      await waitAtMost(LAST_ANSWERS_MS, answered, clock);
      await server.stop(true);
    },
  };
}
