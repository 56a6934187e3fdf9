import { waitAtMost } from "../../base/wait-at-most.ts";
import type { ChainProbe, Launchpad } from "../launchpad.ts";
import type { PoolKeeper } from "../pool-keeper.ts";
import type { WalletHistory } from "../wallet-history.ts";
import type { ClusterIdentity } from "./cluster-identity.ts";

/** How long a probe waits for the genesis hash of a node that answers, in milliseconds. */
const GENESIS_WAIT_MS = 2_000;

/**
 * Wraps a launchpad so that it reads and sends nothing until its cluster is known to be the one that
 * the database belongs to. Only probes pass before that.
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
    async readPools(tokens) {
      await cluster.verify();
      return launchpad.readPools(tokens);
    },
    async buildClaim(agent, token, maySponsor) {
      await cluster.verify();
      return launchpad.buildClaim(agent, token, maySponsor);
    },
    async buildClaims(agent, tokens, maySponsor) {
      await cluster.verify();
      return launchpad.buildClaims(agent, tokens, maySponsor);
    },
    async cosignClaim(claim) {
      await cluster.verify();
      return launchpad.cosignClaim(claim);
    },
    async finalOutcome(claim) {
      await cluster.verify();
      return launchpad.finalOutcome(claim);
    },
    async submitClaim(claim, signal) {
      await cluster.verify();
      return launchpad.submitClaim(claim, signal);
    },
    async readBalance(wallet) {
      await cluster.verify();
      return launchpad.readBalance(wallet);
    },
    probe: () => probe(launchpad, cluster),
  };
}

/** The same for the keeper. */
export function keeperOnItsCluster(keeper: PoolKeeper, cluster: ClusterIdentity): PoolKeeper {
  return {
    async readProgress(tokens) {
      await cluster.verify();
      return keeper.readProgress(tokens);
    },
    async migrate(token, journal, maySign, signal) {
      await cluster.verify();
      return keeper.migrate(token, journal, maySign, signal);
    },
  };
}

/** The same for the launch wallet's transactions. */
export function historyOnItsCluster(
  history: WalletHistory,
  cluster: ClusterIdentity,
): WalletHistory {
  return {
    async newest() {
      await cluster.verify();
      return history.newest();
    },
    async since(after) {
      await cluster.verify();
      return history.since(after);
    },
    isLaunch: (signature) => history.isLaunch(signature),
  };
}

async function probe(launchpad: Launchpad, cluster: ClusterIdentity): Promise<ChainProbe> {
  const verified = cluster.verify();
  // If the node is silent, this rejects after the probe has returned.
  verified.catch(() => {});
  const answer = cluster.problem === null ? await launchpad.probe() : null;
  if (answer?.ok) await waitAtMost(GENESIS_WAIT_MS, verified);
  if (answer === null || cluster.problem !== null) {
    return { ok: false, problem: cluster.problem, walletLamports: null };
  }
  if (cluster.isKnown || !answer.ok) return answer;
  return { ...answer, ok: false, problem: "The Solana RPC does not say which cluster it is" };
}
