import { join } from "node:path";
import { LaunchAcceptedSchema } from "@tokenctl/shared/response-schemas";
import { Agent, expectShape } from "../support/agent.ts";
import { type ServerProcess, tempFolder } from "../support/processes.ts";
import { Ledger } from "./agents.ts";
import { compareBooks } from "./books.ts";
import type { Cluster } from "./cluster.ts";
import { scale } from "./scale.ts";
import { startFast } from "./source-server.ts";

/** How many times faster than ours the server's time runs. */
const SPEED = scale(30, 1);
/** Long enough for leases to run out (60 s); in the long form blockhashes (150 slots) do too. */
const FROZEN_MS = scale(2_200, 66_000);
/** A freeze begins at a random moment of so many milliseconds after the launches were accepted. */
const WORK_MS = scale(300, 1_500);

/**
 * Freezes a server over and over while it launches, each time until its leases have run out, and
 * compares its books with the chain.
 *
 * @param launches how many are under way at each freeze
 */
export async function freezeWorker(cluster: Cluster, freezes: number, launches: number) {
  using folder = tempFolder();
  const [proxy, wallet] = await Promise.all([cluster.proxy(), cluster.launchWallet()]);
  const env = { ...wallet.env, RPC_URL: `http://${proxy.host}` };
  await using server = await startFast(SPEED, folder.path, env);
  const ledger = new Ledger();
  for (let round = 0; round < freezes; round++) {
    const accepted = await accept(server, ledger, launches);
    await Bun.sleep(Math.random() * WORK_MS);
    process.kill(server.pid, "SIGSTOP");
    await Bun.sleep(FROZEN_MS);
    process.kill(server.pid, "SIGCONT");
    for (const { agent, eventId } of accepted) {
      await agent.signIn();
      await agent.settled(eventId);
    }
  }
  const file = join(folder.path, "data", "tokend.sqlite");
  const books = await compareBooks(server, cluster.chain, wallet.publicKey, ledger, file);
  const sends = proxy.calls.filter(({ method }) => method === "sendTransaction");
  return {
    ...books,
    freezes,
    /** Launches whose first run went on beside the one that took them over. */
    wokeUpTooLate: server.output().split("its lease was lost").length - 1,
    signed: new Set(sends.map(({ params }) => params[0])).size,
  };
}

/** So many agents launch at once. */
function accept(server: ServerProcess, ledger: Ledger, launches: number) {
  return Promise.all(
    Array.from({ length: launches }, async () => {
      const agent = await Agent.signedIn(server);
      const { body } = await agent.launch({ ticker: ledger.nextTicker() });
      const launch = { agent, eventId: expectShape(LaunchAcceptedSchema, body).eventId };
      ledger.launches.push(launch);
      return launch;
    }),
  );
}
