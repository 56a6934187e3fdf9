import type { LaunchJournal } from "../domain/journal.ts";
import type { LaunchOrder } from "../domain/launch.ts";
import type { TokenRef } from "../domain/token.ts";
import type { Launchpad } from "../launchpad/chain/chain-launchpad.ts";
import type { Signing } from "../launchpad/signing/signing.ts";

/** One call of `deploy`; the test resolves or rejects it. */
export interface DeployCall extends PromiseWithResolvers<TokenRef> {
  readonly order: LaunchOrder;
  readonly journal: LaunchJournal;
  readonly signal: AbortSignal;
}

const unscripted = () => Promise.reject(new Error("the test scripts no such call"));

/** A launchpad whose answers the test gives. */
export class ScriptedLaunchpad implements Launchpad, Signing {
  /** The calls of `deploy` so far. */
  readonly deploys: DeployCall[] = [];
  isBudgetSpent = false;
  /** What each agent's wallet holds, of a lamport that it must. */
  agentLamports = 1n;
  readonly agentFunds = {
    minLamports: 1n,
    read: async (wallets: readonly string[]) => wallets.map(() => this.agentLamports),
  };
  checkLaunch: Signing["checkLaunch"] = unscripted;
  findLaunched: Signing["findLaunched"] = async () => null;
  buildLaunch: Signing["buildLaunch"] = unscripted;
  readFees: Launchpad["readFees"] = unscripted;
  readPools: Launchpad["readPools"] = unscripted;
  buildClaim: Signing["buildClaim"] = unscripted;
  buildHandOver: Signing["buildHandOver"] = unscripted;
  check: Signing["check"] = async () => {};
  cosign: Signing["cosign"] = unscripted;
  submit: Signing["submit"] = unscripted;
  finalOutcome: Signing["finalOutcome"] = unscripted;
  readBalances: Launchpad["readBalances"] = unscripted;
  probe: Launchpad["probe"] = async () => ({ ok: true, problem: null, walletLamports: 1n });

  keeper = null;

  deploy(order: LaunchOrder, journal: LaunchJournal, signal: AbortSignal): Promise<TokenRef> {
    const call = { order, journal, signal, ...Promise.withResolvers<TokenRef>() };
    this.deploys.push(call);
    return call.promise;
  }

  /** The n-th call of `deploy`, from 0. */
  call(index: number): DeployCall {
    const call = this.deploys[index];
    if (!call) throw new Error(`deploy was called ${this.deploys.length} times`);
    return call;
  }

  /** The tickers of the calls of `deploy` so far, in order. */
  get tickers(): string[] {
    return this.deploys.map(({ order }) => order.ticker);
  }
}

/** Waits until the event loop has run everything that is ready, except timers. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 8; turn++) await new Promise((resolve) => setImmediate(resolve));
}
