import type { ChainProbe } from "../launchpad.ts";
import type { ChainContext } from "./context.ts";
import { readLaunchState } from "./launch-state.ts";
import { toUnavailable, withRpcErrors } from "./rpc-errors.ts";

/** Milliseconds that one request of a probe may take; an RPC that is slow but alive takes two seconds. */
export const PROBE_TIMEOUT_MS = 2_400;

/**
 * See `Launchpad.probe`. Each of its requests ends by itself, so that a node which hangs is found out
 * in time, while one that is slow to answer several is not taken for it.
 */
export async function probe(chain: ChainContext): Promise<ChainProbe> {
  let walletLamports: bigint | null = null;
  try {
    const [state, healthy] = await Promise.all([
      readLaunchState({ ...chain, connection: chain.probeConnection }, []),
      withRpcErrors(() => chain.health.get()),
    ]);
    walletLamports = state.walletLamports;
    const stands = chain.stalledNode?.note(state.slot) ?? false;
    const problem = healthy && !stands ? await findProblem(chain, walletLamports) : BEHIND;
    return { ok: problem === null, problem, walletLamports };
  } catch (error) {
    return { ok: false, problem: toUnavailable(error).message, walletLamports };
  }
}

const BEHIND = "The Solana RPC node is behind its cluster";

async function findProblem(chain: ChainContext, walletLamports: bigint): Promise<string | null> {
  return chain.guard.obstacle(walletLamports) ?? (await chain.problem.get());
}
