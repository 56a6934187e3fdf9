import { Database } from "bun:sqlite";
import { systemClock } from "../../server/src/base/clock.ts";
import { meteoraBinaries } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { LocalChain } from "../../server/src/localnet/chain.ts";
import { serveLocalnet } from "../../server/src/localnet/serve-rpc.ts";

export interface StaleNode {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts a node that has stopped following its cluster: it always answers from the ledger's current
 * state, and its slot and block height do not grow.
 *
 * @param ledgerPath the ledger's file, in use by the cluster
 * @param copyPath where its copy goes
 */
export async function openStaleNode(ledgerPath: string, copyPath: string): Promise<StaleNode> {
  const ledger = new Database(ledgerPath, { readonly: true });
  ledger.run("vacuum into ?", [copyPath]);
  ledger.close();
  // A clock before genesis keeps the chain at the highest slot that it has seen.
  const clock = { ...systemClock, now: () => 0 };
  const chain = LocalChain.open({ ledgerPath: copyPath, clock, programs: meteoraBinaries });
  const served = serveLocalnet(chain, { port: 0 });
  return {
    url: served.url,
    async stop() {
      await served.stop();
      chain.close();
    },
  };
}
