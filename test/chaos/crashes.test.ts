import { Database } from "bun:sqlite";
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Connection, type PublicKey } from "@solana/web3.js";
import { CRASH_POINTS, type CrashPointName } from "../../server/src/launchpad/crash-point.ts";
import { deriveKeypair } from "../../server/src/launchpad/local/accounts.ts";
import { describeMeteora } from "../../server/src/launchpad/meteora/testing/programs.ts";
import type { Agent } from "../support/agent.ts";
import { installBinaries } from "../support/binaries.ts";
import { Cluster } from "../support/cluster.ts";
import { type ServerProcess, startTokend, tempDir } from "../support/processes.ts";
import { AgentActivity, earnAndClaim, launch, submit } from "./agent-activity.ts";
import { compareWithChain, NO_DIFFERENCE } from "./compare-with-chain.ts";
import { figures, isLong, scale } from "./scale.ts";

/** Kills at random moments, among those at named steps, in turn. */
const RANDOM_KILLS = scale(3, 200);
const namedKills = ({ steps }: ChainUnderTest) => scale(steps.length, 300);
setDefaultTimeout(scale(600_000, 3_600_000));

/** The latest random moment at which a run of the server is killed, in milliseconds after it accepted a launch. */
const MAX_RANDOM_RUN_MS = 500;
const KILLED = 137;
const REACHES_CHAIN = /\.(sent|landed|recording)$/;
/** Launches that begin in each run of the server, and former ones that are claimed in it. */
const LAUNCHES_PER_RUN = 2;
const CLAIMS_PER_RUN = 2;

interface ChainUnderTest {
  readonly steps: readonly CrashPointName[];
  readonly tokend: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** Lets others trade a token, so that it has earned fees. */
  earn(agent: Agent, mint: string): Promise<void>;
  launchWallet(): PublicKey;
  chain(server: ServerProcess): Connection;
}

/**
 * Kills the server over and over while agents launch and claim, at the named steps and at random moments.
 * Then compares its records with the chain.
 */
async function killOverAndOver(setup: ChainUnderTest) {
  const activity = new AgentActivity();
  const killedAt: Record<string, number> = {};
  const kills = namedKills(setup) + RANDOM_KILLS;
  let named = 0;
  for (let kill = 0; kill < kills; kill++) {
    const isNamed = named <= (kill * namedKills(setup)) / kills;
    const point = isNamed ? setup.steps[named++ % setup.steps.length] : undefined;
    const where = await runUntilKilled(setup, activity, kill, point);
    killedAt[where] = (killedAt[where] ?? 0) + 1;
  }
  await using server = await startTokend([setup.tokend], setup.folder, setup.env);
  const file = join(setup.folder, "data", "tokend.sqlite");
  const wallet = setup.launchWallet();
  const comparison = await compareWithChain(server, setup.chain(server), wallet, activity, file);
  await server.end("SIGTERM");
  const database = new Database(file, { readonly: true });
  const integrity = database.query("pragma integrity_check").values().flat();
  database.close();
  return {
    kills,
    steps: setup.steps,
    killedAt,
    ...comparison,
    integrity,
    unexpectedErrors: activity.unexpectedErrors,
  };
}

/** Starts the server and kills it under load. @returns the step at which it ended */
async function runUntilKilled(
  setup: ChainUnderTest,
  activity: AgentActivity,
  run: number,
  point: CrashPointName | undefined,
): Promise<string> {
  let server: ServerProcess;
  try {
    server = await startTokend([setup.tokend], setup.folder, {
      ...setup.env,
      ...(point !== undefined && { TOKEND_CRASH_AT: point }),
    });
  } catch (error) {
    // Work that it resumed reached the step before it listened.
    if (point !== undefined) return point;
    throw error;
  }
  const before = activity.launches.length;
  let diedAt: string | null = null;
  const ended = server.exited.then((code) => {
    diedAt = code === KILLED && point !== undefined ? point : `by itself with ${code}`;
  });
  let work = load(server, setup, activity, run);
  if (point === undefined) {
    while (diedAt === null && activity.launches.length === before) await Bun.sleep(1);
    await Promise.race([ended, Bun.sleep(Math.random() * MAX_RANDOM_RUN_MS)]);
  }
  // One claim may take the fees of another, which then reaches no step.
  while (point !== undefined && diedAt === null) {
    await work;
    if (diedAt === null) work = load(server, setup, activity, run);
  }
  const where = diedAt ?? "random";
  await server.end("SIGKILL");
  await work;
  return where;
}

/** Agents launch and claim until the server is killed. */
async function load(
  server: ServerProcess,
  setup: ChainUnderTest,
  activity: AgentActivity,
  run: number,
) {
  const former = activity.launches.slice(-LAUNCHES_PER_RUN * 3);
  const claims = activity.claims.filter(({ answer }) => answer === null).slice(-CLAIMS_PER_RUN);
  await Promise.all([
    ...Array.from({ length: LAUNCHES_PER_RUN }, () => activity.run(() => launch(server, activity))),
    ...Array.from({ length: Math.min(CLAIMS_PER_RUN, former.length) }, (_, index) => {
      const who = former[(run + index) % former.length];
      return activity.run(async () => {
        if (who) await earnAndClaim(server, activity, who, setup.earn);
      });
    }),
    ...claims.map((claim) => activity.run(() => submit(server, claim))),
  ]);
}

function expectGood(result: Awaited<ReturnType<typeof killOverAndOver>>): void {
  expect(result.unexpectedErrors).toEqual([]);
  expect(result).toMatchObject({
    ...NO_DIFFERENCE,
    integrity: ["ok"],
  });
  expect(Object.keys(result.killedAt).sort()).toEqual([...result.steps, "random"].sort());
  // A run that ends at a random moment has accepted a launch; one that ends at a step may end before that.
  expect(result.launchesAccepted).toBeGreaterThanOrEqual(RANDOM_KILLS);
  expect(result.claimsConfirmed).toBeGreaterThan(0);
}

describe("a server that is killed with kill -9 over and over", () => {
  test("loses and doubles nothing on the embedded chain, which stops with it", async () => {
    using folder = tempDir();
    const { tokend } = await installBinaries(folder.path);
    const result = await killOverAndOver({
      steps: CRASH_POINTS,
      tokend,
      folder: folder.path,
      env: { LOG_LEVEL: "info" },
      async earn(agent, tokenMint) {
        await agent.post("/dev/airdrop", { sol: 1 });
        await agent.post("/dev/trade", { tokenMint, side: "buy", sol: 1 });
      },
      launchWallet() {
        const secret = readFileSync(join(folder.path, "data", "mint.secret"), "utf8").trim();
        return deriveKeypair(Buffer.from(secret, "hex"), "wallet").publicKey;
      },
      chain: ({ url }) => new Connection(`${url}/dev/rpc`, "confirmed"),
    });
    figures("kill -9, embedded chain", result);
    expectGood(result);
  });

  describeMeteora("on a cluster", () => {
    test("loses and doubles nothing on Meteora's programs", async () => {
      using folder = tempDir();
      const { tokend } = await installBinaries(folder.path);
      await using cluster = await Cluster.start(1);
      const { env, publicKey } = await cluster.launchWallet();
      const result = await killOverAndOver({
        // Before a transaction is sent it makes no difference which chain it is for.
        steps: isLong ? CRASH_POINTS : CRASH_POINTS.filter((name) => REACHES_CHAIN.test(name)),
        tokend,
        folder: folder.path,
        env: { ...env, RPC_URL: cluster.url },
        earn: (agent, mint) => cluster.earn(agent, mint),
        launchWallet: () => publicKey,
        chain: () => cluster.chain,
      });
      figures("kill -9, Meteora's programs", result);
      expectGood(result);
    });
  });
});
