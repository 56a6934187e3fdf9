import { waitAtMost } from "../../base/wait-at-most.ts";
import type { ChainProbe, Launchpad } from "../launchpad.ts";
import type { ClusterIdentity } from "./cluster-identity.ts";

/** How long a probe waits for a node that has just answered, in milliseconds. */
const ANSWER_MS = 2_000;

/**
 * The same launchpad, which sends nothing and tells nothing of tokens before its cluster is known to
 * be the one that the database belongs to. Only a probe looks at it meanwhile.
 */
export function onItsCluster(launchpad: Launchpad, cluster: ClusterIdentity): Launchpad {
  return {
    async deploy(order, journal, signal) {
      await cluster.verify();
      return launchpad.deploy(order, journal, signal);
    },
    async readFees(agent, tokens) {
      await cluster.verify();
      return launchpad.readFees(agent, tokens);
    },
    async buildClaim(agent, token) {
      await cluster.verify();
      return launchpad.buildClaim(agent, token);
    },
    async submitClaim(claim, signal) {
      await cluster.verify();
      return launchpad.submitClaim(claim, signal);
    },
    probe: () => probe(launchpad, cluster),
  };
}

async function probe(launchpad: Launchpad, cluster: ClusterIdentity): Promise<ChainProbe> {
  const verified = cluster.verify();
  // It ends later than the probe does where the node is silent.
  verified.catch(() => {});
  const seen = cluster.problem === null ? await launchpad.probe() : null;
  if (seen?.ok) await waitAtMost(ANSWER_MS, verified);
  if (seen === null || cluster.problem !== null) {
    return { ok: false, problem: cluster.problem, walletLamports: null };
  }
  if (cluster.isKnown || !seen.ok) return seen;
  return { ...seen, ok: false, problem: "The Solana RPC does not tell which cluster it is" };
}
