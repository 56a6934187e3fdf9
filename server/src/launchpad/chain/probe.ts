import { isHealthy } from "../../solana/health.ts";
import type { ChainProbe } from "../launchpad.ts";
import type { ChainContext } from "./context.ts";
import { look } from "./standing.ts";
import { reach, unavailable } from "./unavailable.ts";

/** See `Launchpad.probe`. */
export async function probe(chain: ChainContext): Promise<ChainProbe> {
  let walletLamports: bigint | null = null;
  try {
    const [standing, healthy] = await Promise.all([
      look(chain, []),
      reach(() => isHealthy(chain.connection)),
    ]);
    walletLamports = standing.walletLamports;
    const stands = chain.standstill?.note(standing.slot) ?? false;
    const problem = healthy && !stands ? await findProblem(chain, walletLamports) : BEHIND;
    return { ok: problem === null, problem, walletLamports };
  } catch (error) {
    return { ok: false, problem: unavailable(error).message, walletLamports };
  }
}

const BEHIND = "The Solana RPC node is behind its cluster";

async function findProblem(chain: ChainContext, walletLamports: bigint): Promise<string | null> {
  return chain.guard.obstacle(walletLamports) ?? (await chain.problem.get());
}
