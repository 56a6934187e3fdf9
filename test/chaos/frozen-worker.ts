import { join } from "node:path";
import { LaunchAcceptedSchema } from "@tokenctl/shared/contract/launch";
import { Agent, expectShape } from "../support/agent.ts";
import { type ServerProcess, tempFolder } from "../support/processes.ts";
import { AgentActivity } from "./agent-activity.ts";
import type { Cluster } from "./cluster.ts";
import { compareWithChain, countInFile } from "./compare-with-chain.ts";
import { scale } from "./scale.ts";
import { startFast } from "./source-server.ts";

/** How many times faster than ours the server's time runs. */
const SPEED = scale(30, 1);
/** Long enough for leases to run out (60 s); in the long form blockhashes (150 slots) do too. */
const FROZEN_MS = scale(2_200, 66_000);

/**
 * Freezes a server over and over while it sends a launch's transaction, each time until its leases have
 * run out, and compares its records with the chain.
 *
 * @param launches how many are pending at each freeze
 */
export async function freezeWorker(cluster: Cluster, freezes: number, launches: number) {
  using folder = tempFolder();
  const [proxy, wallet] = await Promise.all([cluster.proxy(), cluster.launchWallet()]);
  const env = { ...wallet.env, RPC_URL: `http://${proxy.host}` };
  await using server = await startFast(SPEED, folder.path, env);
  const activity = new AgentActivity();
  const file = join(folder.path, "data", "tokend.sqlite");
  const pendingAtFreezes: number[] = [];
  for (let round = 0; round < freezes; round++) {
    const frozen = Promise.withResolvers<void>();
    let areAccepted = false;
    proxy.startFaults((method) => {
      if (method !== "sendTransaction") return null;
      // None lands before all are accepted; the server sends it again.
      if (!areAccepted) return "request lost";
      process.kill(server.pid, "SIGSTOP");
      proxy.stopFaults();
      frozen.resolve();
      return null;
    });
    const accepted = await accept(server, activity, launches);
    areAccepted = true;
    await frozen.promise;
    pendingAtFreezes.push((await countInFile(file)()).pending);
    await Bun.sleep(FROZEN_MS);
    process.kill(server.pid, "SIGCONT");
    for (const { agent, eventId } of accepted) {
      // A token lives for half a minute of ours.
      do await agent.signIn();
      while ((await agent.status(eventId)).status === "pending");
    }
  }
  const comparison = await compareWithChain(
    server,
    cluster.chain,
    wallet.publicKey,
    activity,
    file,
  );
  const sends = proxy.calls.filter(({ method }) => method === "sendTransaction");
  return {
    ...comparison,
    pendingAtFreezes,
    /** Launches whose first attempt continued after another had taken them over. */
    leasesLost: server.output().split("its lease was lost").length - 1,
    signed: new Set(sends.map(({ params }) => params[0])).size,
  };
}

/** New agents launch at once, each one token. */
function accept(server: ServerProcess, activity: AgentActivity, launches: number) {
  return Promise.all(
    Array.from({ length: launches }, async () => {
      const agent = await Agent.signedIn(server);
      const { body } = await agent.launch({ ticker: activity.nextTicker() });
      const launch = { agent, eventId: expectShape(LaunchAcceptedSchema, body).eventId };
      activity.launches.push(launch);
      return launch;
    }),
  );
}
