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
 * What the service does on a chain and reads of it, apart from what agents sign (`signing.ts`); a {@link
 * PoolProgram} holds what differs between chains. Every call that asks the chain throws {@link
 * ChainUnavailableError} if the RPC does not answer, or not sensibly.
 */
export function chainLaunchpad(chain: ChainContext, migrations: MigrationProgram | null = null) {
  // One program for all steps of a launch.
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

    /** Lamports of at most 100 wallets, in one request; 0 for one that has no account. */
    readBalances: (wallets: readonly string[]) => readBalances(chain, wallets),

    /** Checks that the chain is reachable and up to date, and that the launch wallet can pay. Never throws. */
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
