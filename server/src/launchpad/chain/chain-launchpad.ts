import { waitAtMost } from "../../base/clock.ts";
import type { Launchpad } from "../launchpad.ts";
import type { MigrationProgram, PoolKeeper } from "../pool-program.ts";
import { withRpcErrors } from "./cluster.ts";
import { type ChainContext, hasWallet } from "./context.ts";
import { deployLaunch, measureLaunch } from "./deploy-launch.ts";
import { readBalances } from "./launch-state.ts";
import { poolKeeper } from "./migrate-pool.ts";
import { PROBE_TIMEOUT_MS, probe } from "./probe.ts";
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
 * again before it is signed, and sending it. Confirmations cost one request a tick for everything in flight.
 */
export function chainLaunchpad(
  chain: ChainContext,
  migrations: MigrationProgram | null = null,
): ChainLaunchpad {
  // One program for all steps of a launch.
  const launching = () => ({ ...chain, program: chain.launchProgram() });
  const measure = (canLaunch: boolean) => measureLaunch(launching(), canLaunch);
  return {
    deploy: (order, journal, signal) => deployLaunch(launching(), order, { journal, signal }),
    readFees: (agent, tokens) => withRpcErrors(() => chain.program.readFees(agent, tokens)),
    readPools: (tokens) => withRpcErrors(() => chain.program.readPools(tokens)),
    readCreators: (tokens) => withRpcErrors(() => chain.program.readCreators(tokens)),
    async probe() {
      const result = await probe(chain);
      // The next probe tries again.
      if (result.ok) await waitAtMost(PROBE_TIMEOUT_MS, measure(true), chain.clock);
      else if (result.walletLamports !== null) void measure(false).catch(() => {});
      return result;
    },
    dayBudget: () => chain.guard.dayBudget(),
    readBalances: (wallets) => readBalances(chain, wallets),
    keeper: migrations && hasWallet(chain) ? poolKeeper(chain, migrations) : null,
  };
}
