import { waitAtMost } from "../../base/clock.ts";
import type { Launchpad } from "../launchpad.ts";
import type { PoolKeeper } from "../pool-program.ts";
import { acceptAgentLaunch, buildAgentLaunch, priceAgentLaunch } from "./agent-launch.ts";
import { buildClaim, cosignClaim } from "./build-claim.ts";
import { withProgramErrors } from "./cluster.ts";
import { type ChainLaunchpadOptions, chainContext, hasWallet } from "./context.ts";
import { deployLaunch, measureLaunch } from "./deploy-launch.ts";
import { buildHandOver, submitHandOver } from "./hand-over.ts";
import { readBalances } from "./launch-state.ts";
import { poolKeeper } from "./migrate-pool.ts";
import { PROBE_TIMEOUT_MS, probe } from "./probe.ts";
import { submitClaim } from "./submit-claim.ts";
import { finalOutcome } from "./transaction.ts";
import type { WalletGuard } from "./wallet-guard.ts";

export interface ChainLaunchpad extends Launchpad {
  /** What launches may take in a day, and the next one takes as far as is known; null for no limit. */
  dayBudget: WalletGuard["dayBudget"];
  /** Migrates complete curves, paid by the launch wallet; null if there are none to migrate. */
  readonly keeper: PoolKeeper | null;
}

/**
 * The launchpad of any chain that is reached through a connection. A launch costs five requests:
 * reading mint, pool, wallet and rent, the simulation, recent fees (shared), reading wallet and rent
 * again before it is signed, and sending it. One that its agent pays for costs six. Confirmations
 * cost one request a tick for everything in flight.
 */
export function chainLaunchpad(options: ChainLaunchpadOptions): ChainLaunchpad {
  const chain = chainContext(options);
  const { launchProgram = () => options.program } = options;
  // One program for all steps of a launch.
  const launching = () => ({ ...chain, program: launchProgram() });
  const measure = (canLaunch: boolean) => measureLaunch(launching(), canLaunch);
  return {
    deploy: (order, journal, signal) => deployLaunch(launching(), order, { journal, signal }),
    priceLaunch: (order) => priceAgentLaunch(launching(), order),
    buildLaunch: (order) => buildAgentLaunch(launching(), order),
    acceptLaunch: (order, transaction) => acceptAgentLaunch(launching(), order, transaction),
    readFees: (agent, tokens) => withProgramErrors(() => chain.program.readFees(agent, tokens)),
    readPools: (tokens) => withProgramErrors(() => chain.program.readPools(tokens)),
    readCreators: (tokens) => withProgramErrors(() => chain.program.readCreators(tokens)),
    buildClaim: (agent, tokens, options) => buildClaim(chain, { agent, tokens, ...options }),
    cosignClaim: (claim) => cosignClaim(chain, claim),
    finalOutcome: (claim) => finalOutcome(chain, claim),
    submitClaim: (claim, journal, signal) => submitClaim(chain, claim, { journal, signal }),
    buildHandOver: (order) => buildHandOver(chain, order),
    submitHandOver: (signed, journal, signal) => submitHandOver(chain, signed, { journal, signal }),
    async probe() {
      const result = await probe(chain);
      // The next probe tries again.
      if (result.ok) await waitAtMost(PROBE_TIMEOUT_MS, measure(true), chain.clock);
      else if (result.walletLamports !== null) void measure(false).catch(() => {});
      return result;
    },
    dayBudget: () => chain.guard.dayBudget(),
    readBalances: (wallets) => readBalances(chain, wallets),
    keeper: options.migrations && hasWallet(chain) ? poolKeeper(chain, options.migrations) : null,
  };
}
