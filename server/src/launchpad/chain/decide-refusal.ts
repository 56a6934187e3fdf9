import { isHealthy } from "../../solana/health.ts";
import { classifyError, describeError } from "../../solana/transaction-error.ts";
import { ChainUnavailableError, LaunchRefusedError } from "../errors.ts";
import type { TokenRef } from "../launchpad.ts";
import type { ChainContext } from "./context.ts";
import { readLaunchState } from "./launch-state.ts";
import { simulateOwn } from "./own-transaction.ts";
import type { LaunchDraft } from "./plan-launch.ts";
import { withProgramErrors, withRpcErrors } from "./rpc-errors.ts";

/**
 * Decides what a launch's failed simulation means. A refusal is final, so every other explanation
 * is ruled out first: the token exists already, the wallet lacks lamports, the cluster is busy, the
 * config is unusable, or the node answers from an old state.
 *
 * @returns the token, if it exists already
 * @throws {LaunchRefusedError} only if no retry could help
 * @throws {LaunchWalletError} the launch wallet lacks lamports
 * @throws {ChainUnavailableError} any other explanation may hold
 */
export async function decideRefusal(
  chain: ChainContext,
  tokens: readonly TokenRef[],
  walletLamports: bigint,
  { instructions, simulation }: LaunchDraft,
): Promise<TokenRef> {
  const { error, logs, slot } = simulation;
  if (error === null) throw new Error("not a refusal");
  const reason = describeError(error);
  const errorClass = classifyError(error, logs);
  if (errorClass === "payer") throw chain.guard.shortageError(walletLamports, error);
  if (errorClass === "later") {
    throw new ChainUnavailableError(`The cluster cannot take the launch now (${reason})`, error);
  }
  const state = await readLaunchState(chain, tokens, slot);
  if (state.deployed) return state.deployed;
  const problem = await withProgramErrors(() => chain.program.checkConfig());
  if (problem !== null) throw new ChainUnavailableError(problem, error);
  if (!(await withRpcErrors(() => isHealthy(chain.connection)))) {
    throw new ChainUnavailableError("The Solana RPC node is behind its cluster", error);
  }
  const again = await simulateOwn(chain, instructions, state.slot);
  if (JSON.stringify(again.error) !== JSON.stringify(error)) {
    throw new ChainUnavailableError(
      `The chain gave different answers about the launch (${reason})`,
    );
  }
  throw new LaunchRefusedError(`The chain refused the launch (${reason})`, { error, logs });
}
