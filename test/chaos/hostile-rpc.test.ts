import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { describeMeteora } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { startTokend, TOKEND } from "../support/processes.ts";
import { startLogged } from "../support/test-server.ts";
import { Cluster } from "./cluster.ts";
import { NO_DIFFERENCE } from "./compare-with-chain.ts";
import { RpcExperiment, type StartServer } from "./rpc-experiment.ts";
import { type ChooseFault, FAULTS, type Fault } from "./rpc-faults.ts";
import { figures, isLong, scale } from "./scale.ts";

setDefaultTimeout(scale(600_000, 1_800_000));

/** How many times faster than ours the chain's time runs: blockhashes expire in 3 s, or in 60. */
const SPEED = scale(20, 1);
/** How long the RPC fails at least in part, and then altogether, in milliseconds. */
const STAGES_MS = [scale(500, 60_000), scale(500, 90_000)] as const;
const CLAIMS = scale(1, 5);
const LAUNCHES = scale(2, 20);
const ROUNDS = scale(10, 200);
/** How many times as long as the fastest before most reads of a kind may take while the RPC fails: less than a hang. */
const MAX_SLOWDOWN = scale(1_000, 3);
/** Seconds. */
const RECOVERY_LIMIT = 60;
/** Faults that fail requests at once, so that the log must show them. */
const LOGGED: ReadonlySet<Fault> = new Set<Fault>([
  "answer lost",
  "429",
  "429 with Retry-After",
  "500",
  "garbage",
  "half a body",
]);

/** Faults that hide the whole chain, so that `/health` must report them. */
const HIDING: ReadonlySet<string> = new Set<Fault>([
  ...LOGGED,
  "request lost",
  "stale node",
  "hang",
]);

/** Faults that happen together in the short form, and each alone in the long one. */
const GROUPS: Readonly<Record<string, readonly Fault[]>> = isLong
  ? Object.fromEntries(FAULTS.map((fault) => [fault, [fault]]))
  : {
      "requests that do not arrive": ["request lost", "hang"],
      "answers that do not arrive": ["answer lost", "half a body", "garbage"],
      "refusals to answer": ["429", "429 with Retry-After", "500"],
      "nodes that know too little": ["stale node", "forgetful node"],
      "delays beyond the blockhash": ["late delivery", "slow"],
    };

/** Faults of the one node that is read from, beside two that are well. */
const NODE_FAULTS = ["request lost", "hang", "stale node", "garbage"] as const;
const ONE_OF_THREE: Readonly<Record<string, readonly Fault[]>> = isLong
  ? Object.fromEntries(NODE_FAULTS.map((fault) => [`one node of three: ${fault}`, [fault]]))
  : { "one node of three that fails in any way": NODE_FAULTS };

/** What goes wrong with some requests in the first stage, and with all in the second. */
const EXPERIMENTS: Readonly<Record<string, readonly [ChooseFault, ChooseFault]>> = {
  ...Object.fromEntries(
    Object.entries(GROUPS).map(([name, faults]) => [name, [partly(faults), always(faults)]]),
  ),
  "all faults at random": [atRandom(0.3), atRandom(0.7)],
  ...Object.fromEntries(
    Object.entries(ONE_OF_THREE).map(([name, faults]) => [name, [any(faults), any(faults)]]),
  ),
};

/** With the transactions that are sent, or with every other request if the node itself is bad. */
function partly(faults: readonly Fault[]): ChooseFault {
  const isBadNode = faults.some((fault) => fault === "stale node" || fault === "forgetful node");
  if (isBadNode) return () => (Math.random() < 0.5 ? oneOf(faults) : null);
  return (method) => (method === "sendTransaction" ? oneOf(faults) : null);
}

/** A hang alone, if it is one of them: no read that waits for the chain gets an answer by chance. */
function always(faults: readonly Fault[]): ChooseFault {
  return () => (faults.includes("hang") ? "hang" : oneOf(faults));
}

function any(faults: readonly Fault[]): ChooseFault {
  return () => oneOf(faults);
}

function atRandom(share: number): ChooseFault {
  return () => (Math.random() < share ? oneOf(FAULTS) : null);
}

function oneOf(faults: readonly Fault[]): Fault | null {
  return faults[Math.floor(Math.random() * faults.length)] ?? null;
}

const isLogged = (name: string) => GROUPS[name]?.every((fault) => LOGGED.has(fault)) ?? false;

type Results = Awaited<ReturnType<typeof runExperiments>>;

const startProcess: StartServer = (cwd, env) => startTokend(TOKEND, cwd, env);

/** In the short form only one server has a process of its own: the one with all faults. */
const starterOf = (name: string) =>
  isLong || name === "all faults at random" ? startProcess : startLogged;

/** Does something with one server after the other, so that they do not disturb each other. */
async function inTurn<T>(
  experiments: readonly RpcExperiment[],
  work: (experiment: RpcExperiment) => Promise<T>,
) {
  const results: T[] = [];
  for (const experiment of experiments) results.push(await work(experiment));
  return results;
}

/** Runs all experiments at the same time, each with a server of its own. */
async function runExperiments(cluster: Cluster) {
  const names = Object.keys(EXPERIMENTS);
  const experiments = await Promise.all(
    names.map((name) =>
      RpcExperiment.begin(cluster, starterOf(name), 2 * CLAIMS, name in ONE_OF_THREE ? 3 : 1),
    ),
  );
  try {
    const before = await inTurn(experiments, (each) => each.readLatency(ROUNDS));
    for (const [stage, milliseconds] of STAGES_MS.entries()) {
      const staleNode = await cluster.staleNode();
      const over = Bun.sleep(milliseconds);
      await Promise.all(
        experiments.map((experiment, index) => {
          experiment.staleNode = staleNode;
          const choose = EXPERIMENTS[names[index] ?? ""]?.[stage] ?? (() => null);
          return experiment.startFaults(choose, CLAIMS, LAUNCHES);
        }),
      );
      await Promise.all([over, ...experiments.map((each) => each.untilFaulty(CLAIMS + LAUNCHES))]);
    }
    const during = await inTurn(experiments, (each) => each.readLatency(ROUNDS));
    const health = await Promise.all(experiments.map((each) => each.health()));
    const recovery = await Promise.all(experiments.map((each) => each.recover()));
    const comparisons = await Promise.all(experiments.map((each) => each.compareWithChain()));
    return Object.fromEntries(
      names.map((name, index) => [
        name,
        {
          ...comparisons[index],
          latencyBefore: before[index],
          latencyDuring: during[index],
          health: health[index],
          recoverySeconds: recovery[index],
          ...experiments[index]?.traces,
        },
      ]),
    );
  } finally {
    await Promise.all(experiments.map((each) => each[Symbol.asyncDispose]()));
  }
}

describeMeteora("a server whose RPC misbehaves", () => {
  let cluster: Cluster;
  let results: Results;
  beforeAll(async () => {
    cluster = await Cluster.start(SPEED);
    results = await runExperiments(cluster);
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test.each(Object.keys(EXPERIMENTS))("loses and doubles nothing in spite of %s", (name) => {
    const result = results[name];
    figures(`hostile RPC, ${name}`, { ...result });
    expect(result).toMatchObject({
      ...NO_DIFFERENCE,
      claimsUnrecorded: 0,
      leaks: [],
      unexpectedErrors: [],
    });
    // An empty log would contain no secret.
    expect(result?.logged).toBeGreaterThan(0);
    if (isLogged(name)) expect(result?.warningsLogged).toBeGreaterThan(0);
    // Every other agent claims until it is paid.
    expect(result?.claimsConfirmed).toBeGreaterThanOrEqual(CLAIMS);
    expect(result?.faultyCalls).toBeGreaterThan(0);
    if (isLong && HIDING.has(name)) expect(result?.health).toBe(503);
    if (name in ONE_OF_THREE) expect(result?.health).toBe(200);
    if (isLong) expect(result?.recoverySeconds).toBeLessThan(RECOVERY_LIMIT);
    // One that waited for the chain before, too, would allow itself a hang.
    const before = Object.values(result?.latencyBefore ?? {}).map(({ fastest }) => fastest);
    const limit = MAX_SLOWDOWN * Math.max(1, Math.min(...before));
    for (const [read, { p50 }] of Object.entries(result?.latencyDuring ?? {})) {
      expect(p50, read).toBeLessThan(limit);
    }
  });
});
