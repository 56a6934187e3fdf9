import { createApp } from "../app.ts";
import { createLog } from "../base/log.ts";
import { readConfig } from "../config/config.ts";
import type { Drain } from "../http/listen.ts";
import type { Sandbox } from "../launchpad/local/sandbox.ts";
import type { OpenChain } from "../open-chain.ts";
import { makeServices, type Services } from "../services.ts";
import { MovableClock } from "./manual-clock.ts";
import { ScriptedLaunchpad } from "./scripted-launchpad.ts";
import { type TempStore, tempStore } from "./temp-store.ts";

const QUIET = {
  RATE_LIMIT_AUTH_PER_MINUTE: "0",
  RATE_LIMIT_WALLET_PER_MINUTE: "0",
  RATE_LIMIT_AGENT_PER_MINUTE: "0",
  RATE_LIMIT_PUBLIC_PER_MINUTE: "0",
  JWT_SECRET: "0123456789abcdef0123456789abcdef",
  // Otherwise the app would use, or write, the secret of a server's data folder in the clone.
  DATA_DIR: "no-data",
  MINT_SECRET: "ab".repeat(32),
  CONSOLE: "off",
};

export interface TestApp extends TempStore {
  readonly app: ReturnType<typeof createApp>;
  readonly chain: ScriptedLaunchpad;
  readonly bearerTokens: Services["bearerTokens"];
  readonly eventReaders: Services["eventReaders"];
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
const unscripted = () => Promise.reject(new Error("the test has no sandbox"));
/** A sandbox whose routes are there, and which does nothing. */
export const NO_SANDBOX: Sandbox = {
  airdrop: unscripted,
  trade: unscripted,
  graduate: unscripted,
  rpc: unscripted,
};
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
  const config = {
    ...readConfig({ ...QUIET, ...env }),
    // Its worker takes no launch: what is stored waits.
    workerConcurrency: 0,
    allowsLocalReceivers: false,
  };
  let onEvents = (_wallet: string) => {};
  const temp = tempStore(new MovableClock(), (wallet) => onEvents(wallet));
  const { store, clock } = temp;
  const log = createLog("silent");
  const chain = new ScriptedLaunchpad();
  const opened: OpenChain = {
    launchpad: chain,
    signing: chain,
    budget: { dayBudget: () => (chain.isBudgetSpent ? NOTHING_LEFT : null) },
    agentFunds: chain.agentFunds,
    terms: async () => TERMS,
    sandbox,
    rpcShares: null,
    keeper: null,
    partner: null,
    rpcNodes: null,
    askRpc: null,
    network: () => null,
    close: async () => {},
  };
  const drain = { isDraining: false };
  const wiring = { config, clock, log, store, chain: opened, drain, metrics: null };
  const services = makeServices(wiring);
  const { bearerTokens, eventReaders, chainMonitor } = services;
  onEvents = (wallet) => eventReaders.wake(wallet);
  await chainMonitor.begin();
  await chainMonitor.stop();
  const app = createApp(wiring, services);
  return {
    ...temp,
    app,
    chain,
    bearerTokens,
    eventReaders,
    drain,
    async send(method, path, { wallet = "agent", headers, json } = {}) {
      const token = wallet === null ? null : await bearerTokens.issue(wallet);
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
