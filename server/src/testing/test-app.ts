import { createApp } from "../app.ts";
import { createLog } from "../base/log.ts";
import { readConfig } from "../config/config.ts";
import type { Drain } from "../http/listen.ts";
import type { Sandbox } from "../launchpad/sandbox.ts";
import { CurrentSteering } from "../modules/admin/steering.ts";
import { Sessions } from "../modules/auth/sessions.ts";
import { EventReaders } from "../modules/events/event-readers.ts";
import { ChainMonitor, DatabaseMonitor } from "../modules/health/monitors.ts";
import { HealthService } from "../modules/health/service.ts";
import { ImageDecoder } from "../modules/images/decoder.ts";
import { Submitter } from "../modules/signing/submitter.ts";
import { MovableClock } from "./manual-clock.ts";
import { ScriptedLaunchpad } from "./scripted-launchpad.ts";
import { type TempStore, tempStore } from "./temp-store.ts";

/** Switches the rate limits off. */
const UNLIMITED = {
  RATE_LIMIT_AUTH_PER_MINUTE: "0",
  RATE_LIMIT_WALLET_PER_MINUTE: "0",
  RATE_LIMIT_AGENT_PER_MINUTE: "0",
  RATE_LIMIT_PUBLIC_PER_MINUTE: "0",
};

export interface TestApp extends TempStore {
  readonly app: ReturnType<typeof createApp>;
  readonly chain: ScriptedLaunchpad;
  readonly sessions: Sessions;
  readonly eventReaders: EventReaders;
  readonly drain: Drain;
  /** Sends a request, with a bearer token of this wallet unless it is null. */
  send(method: string, path: string, options?: SendOptions): Promise<Response>;
}

interface SendOptions {
  readonly wallet?: string | null;
  readonly headers?: Record<string, string>;
  readonly json?: unknown;
}

const FEE = { startBps: 100, endBps: 100, creatorSharePercent: 80 };
const TERMS = { config: null, fees: { bondingCurve: FEE, liquidityPool: FEE }, curve: [] };
const NOTHING_LEFT = { maxDailyLamports: 0n, launchLamports: 1n };
/**
 * Builds the whole route table on the real store and a chain that the test scripts.
 *
 * @param env settings of limits, such as `MAX_QUEUE`
 */
export async function testApp(
  sandbox: Sandbox | null = null,
  env: Readonly<Record<string, string>> = {},
): Promise<TestApp> {
  const { limits, hosts } = readConfig({ ...UNLIMITED, ...env });
  const movable = new MovableClock();
  const eventReaders = new EventReaders(limits.events.streams, movable);
  const temp = tempStore(movable, (wallet) => eventReaders.wake(wallet));
  const { store, clock } = temp;
  const log = createLog("silent");
  const chain = new ScriptedLaunchpad();
  const sessions = new Sessions(clock, [new Uint8Array(32).fill(1)]);
  const chainMonitor = new ChainMonitor(chain, clock, log);
  await chainMonitor.begin();
  await chainMonitor.stop();
  const imageDecoder = new ImageDecoder();
  const drain: Drain = { isDraining: false };
  const { pauseReason } = new CurrentSteering(store.operator, log);
  const app = createApp({
    store,
    chain: {
      launchpad: chain,
      signing: chain,
      budget: { dayBudget: () => (chain.isBudgetSpent ? NOTHING_LEFT : null) },
      agentFunds: chain.agentFunds,
      terms: async () => TERMS,
      sandbox,
    },
    verifyToken: null,
    eventReaders,
    receiverPolicy: { allowsLoopback: false },
    imageDecoder,
    submitter: new Submitter({ store, chain, log }),
    chainMonitor,
    health: new HealthService({
      store,
      chainMonitor,
      pauseReason,
      drain,
      network: () => null,
      databaseMonitor: new DatabaseMonitor(store, log),
      budget: { dayBudget: () => null },
    }),
    sessions,
    nonceSecret: null,
    log,
    publicUrl: "http://127.0.0.1:8787",
    hosts,
    metadataBaseUrl: "http://127.0.0.1:8787",
    limits,
    loadConsole: null,
    corsOrigins: [],
    pauseReason,
    onLaunchAccepted: () => {},
    onWebhookDue: () => {},
  });
  return {
    ...temp,
    app,
    chain,
    sessions,
    eventReaders,
    drain,
    async send(method, path, { wallet = "agent", headers, json } = {}) {
      const token = wallet === null ? null : await sessions.issue(wallet);
      const request = new Request(`http://localhost${path}`, {
        method,
        headers: {
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(json !== undefined && { "content-type": "application/json" }),
          ...headers,
        },
        ...(json !== undefined && { body: JSON.stringify(json) }),
      });
      return app.handle(request);
    },
  };
}
