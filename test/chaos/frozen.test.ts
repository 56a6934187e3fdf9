import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { LaunchAcceptedSchema } from "@tokenctl/shared/response-schemas";
import { describeMeteora } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { Agent, expectShape } from "../support/agent.ts";
import { run, type ServerProcess, tempFolder } from "../support/processes.ts";
import { Ledger } from "./agents.ts";
import { compareBooks } from "./books.ts";
import { Cluster } from "./cluster.ts";
import { figures, scale } from "./scale.ts";
import { startFast, startFromSource, TOKEND } from "./source-server.ts";

setDefaultTimeout(scale(60_000, 1_800_000));

/** Tries to start another server on the data of one that runs. */
function startSecond(cwd: string, env: Readonly<Record<string, string>> = {}) {
  return run(TOKEND, cwd, { PORT: "0", DATA_DIR: join(cwd, "data"), ...env });
}

test.concurrent("default: a second server on the same data is refused, even while the first is frozen", async () => {
  using folder = tempFolder();
  await using first = await startFromSource(folder.path);
  const agent = await Agent.signedIn(first);
  for (const signal of ["SIGCONT", "SIGSTOP"] as const) {
    process.kill(first.pid, signal);
    const { exitCode, stdout, stderr } = await startSecond(folder.path);
    expect(exitCode).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toContain(`Another tokend is running on ${join(folder.path, "data")}`);
    expect(stderr).toContain("DATA_DIR");
    expect(stderr).not.toContain("    at ");
  }
  process.kill(first.pid, "SIGCONT");
  expect((await agent.launched("UNHARMED")).status).toBe("success");
  expect(first.output()).not.toMatch(/"level":"(warn|error|fatal)"/);
  expect(await first.end("SIGTERM")).toBe(0);
});

/** How many times faster than ours time runs for the chain, and for the server. */
const CHAIN_SPEED = scale(20, 1);
const SERVER_SPEED = scale(30, 1);
/** Long enough for leases (60 s) and blockhashes (150 slots) to run out, in milliseconds. */
const FROZEN_MS = scale(3_300, 66_000);
const ROUNDS = scale(1, 8);
const LAUNCHES = scale(4, 8);
/** A freeze begins at a random moment of so many milliseconds after the launches were accepted. */
const WORK_MS = scale(300, 1_500);

describeMeteora("a worker that freezes", () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start(CHAIN_SPEED);
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test.concurrent("behavior: once it wakes up after its leases ran out, nothing is lost or doubled", async () => {
    using folder = tempFolder();
    const [proxy, wallet] = await Promise.all([cluster.proxy(), cluster.launchWallet()]);
    const env = { ...wallet.env, RPC_URL: `http://${proxy.host}` };
    await using server = await startFast(SERVER_SPEED, folder.path, env);
    const ledger = new Ledger();
    for (let round = 0; round < ROUNDS; round++) {
      await launchAndFreeze(server, ledger);
      for (const { agent, eventId } of ledger.launches) {
        await agent.signIn();
        await agent.settled(eventId);
      }
    }
    const file = join(folder.path, "data", "tokend.sqlite");
    const books = await compareBooks(server, cluster.chain, wallet.publicKey, ledger, file);
    const log = server.output();
    const result = {
      ...books,
      freezes: ROUNDS,
      takenAgain: log.split("launch deployed, but its lease was lost").length - 1,
      signed: new Set(
        proxy.calls
          .filter(({ method }) => method === "sendTransaction")
          .map(({ params }) => params[0]),
      ).size,
    };
    figures("a frozen worker", result);
    expect(result).toMatchObject({ lost: 0, stuck: 0, unsuccessful: 0, deployedTwice: 0 });
    expect(result.launchesAccepted).toBe(ROUNDS * LAUNCHES);
  });

  /** Freezes the server while launches are under way. */
  async function launchAndFreeze(server: ServerProcess, ledger: Ledger): Promise<void> {
    const agents = await Promise.all(
      Array.from({ length: LAUNCHES }, () => Agent.signedIn(server)),
    );
    await Promise.all(
      agents.map(async (agent) => {
        const { body } = await agent.launch({ ticker: ledger.nextTicker() });
        const { eventId } = expectShape(LaunchAcceptedSchema, body);
        ledger.launches.push({ agent, eventId });
      }),
    );
    await Bun.sleep(Math.random() * WORK_MS);
    process.kill(server.pid, "SIGSTOP");
    await Bun.sleep(FROZEN_MS);
    process.kill(server.pid, "SIGCONT");
  }
});
