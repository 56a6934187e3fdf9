import { waitAtMost } from "../../base/clock.ts";
import type { LaunchJournal } from "../../domain/journal.ts";
import type { LaunchOrder } from "../../domain/launch.ts";
import type { OwnedToken, TokenRef } from "../../domain/token.ts";
import type { MigrationProgram } from "../pool-program.ts";
import { withRpcErrors } from "./cluster.ts";
import { type ChainContext, hasWallet } from "./context.ts";
import { deployLaunch, measureLaunch } from "./deploy-launch.ts";
import { readBalances } from "./launch-state.ts";
import { poolKeeper } from "./migrate-pool.ts";
import { PROBE_TIMEOUT_MS, probe } from "./probe.ts";

export type Launchpad = ReturnType<typeof chainLaunchpad>;

/**
 * Does everything on a chain except what agents sign (`signing.ts`); a {@link PoolProgram} holds
 * what differs between chains. Calls throw {@link ChainUnavailableError} without a sensible answer.
 */
export function chainLaunchpad(chain: ChainContext, migrations: MigrationProgram | null = null) {
  // All steps of a launch use the same program.
  const launching = () => ({ ...chain, program: chain.launchProgram() });
  const measure = (canLaunch: boolean) => measureLaunch(launching(), canLaunch);
  return {
    deploy: (order: LaunchOrder, journal: LaunchJournal, signal: AbortSignal) =>
      deployLaunch(launching(), order, { journal, signal }),

    /** See {@link PoolProgram}. */
    readFees: (agent: string, tokens: readonly TokenRef[]) =>
      withRpcErrors(() => chain.program.readFees(agent, tokens)),
    readPools: (tokens: readonly OwnedToken[]) =>
      withRpcErrors(() => chain.program.readPools(tokens)),
    readCreators: (tokens: readonly TokenRef[]) =>
      withRpcErrors(() => chain.program.readCreators(tokens)),

    /** Reads the lamports of at most 100 wallets in one request; 0 for a missing account. */
    readBalances: (wallets: readonly string[]) => readBalances(chain, wallets),

    /** Checks that the chain is up to date and the launch wallet can pay. Never throws. */
    async probe() {
      const result = await probe(chain);
      // The next probe tries again.
      if (result.ok) await waitAtMost(PROBE_TIMEOUT_MS, measure(true), chain.clock);
      else if (result.walletLamports !== null) void measure(false).catch(() => {});
      return result;
    },

    /** Migrates complete curves, paid by the launch wallet; null if there are none to migrate. */
    keeper: migrations && hasWallet(chain) ? poolKeeper(chain, migrations) : null,
  };
}
