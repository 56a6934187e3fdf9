import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { describeMeteora } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { Cluster } from "../support/cluster.ts";
import { startTokend, TOKEND } from "../support/processes.ts";
import { startLogged } from "../support/test-server.ts";
import { NO_DIFFERENCE } from "./compare-with-chain.ts";
import {
  beginExperiment,
  type ChooseFault,
  FAULTS,
  type Fault,
  type RpcExperiment,
  type StartServer,
} from "./rpc-experiment.ts";
import { figures, isLong, scale } from "./scale.ts";

setDefaultTimeout(scale(600_000, 1_800_000));

/** How many times faster than ours the chain's time runs: blockhashes expire in 3 s, or in 60. */
const SPEED = scale(20, 1);
/** How long the RPC fails at least in part, and then altogether, in milliseconds. */
const STAGES_MS = [scale(500, 60_000), scale(500, 90_000)] as const;
const CLAIMS = scale(1, 5);
const LAUNCHES = scale(2, 20);
const ROUNDS = scale(10, 200);
/** How many times as long as the fastest before most reads may take while the RPC fails: less than a hang. */
const MAX_SLOWDOWN = scale(1_000, 3);
/** Seconds. */
const RECOVERY_LIMIT = 60;

/** Faults that fail requests at once, so that the log must show them. */
const LOGGED: ReadonlySet<string> = new Set<Fault>([
  "answer lost",
  "429",
  "429 with Retry-After",
  "500",
  "garbage",
  "half a body",
]);

/** Faults that hide the whole chain, so that `/health` must report them. */
const HIDING = new Set<string>([
  ...LOGGED,
  "request lost",
  "stale node",
  "hang",
] satisfies string[]);

/** Faults of the one node that is read from, beside two that are well. */
const NODE_FAULTS = ["request lost", "hang", "stale node", "garbage"] as const;

type Stages = readonly [some: ChooseFault, all: ChooseFault];
type Experiment = readonly [name: string, Stages];

const alone = (fault: Fault): Experiment => [fault, [partly(fault), () => fault]];
const ofOne = (name: string, ...faults: Fault[]): Experiment => [
  `one node of three: ${name}`,
  [() => oneOf(faults), () => oneOf(faults)],
];

/** What goes wrong with some requests in the first stage, and with all in the second. */
const EXPERIMENTS: Readonly<Record<string, Stages>> = Object.fromEntries([
  ["all faults at random", [atRandom(0.3), atRandom(0.7)]] as const,
  ...(isLong
    ? [...FAULTS.map(alone), ...NODE_FAULTS.map((fault) => ofOne(fault, fault))]
    : [alone("hang"), ofOne("fails in any way", ...NODE_FAULTS)]),
]);

/** With the transactions that are sent, or with every other request if the node itself is bad. */
function partly(fault: Fault): ChooseFault {
  const isBadNode = fault === "stale node" || fault === "forgetful node";
  return (method) =>
    (isBadNode ? Math.random() < 0.5 : method === "sendTransaction") ? fault : null;
}

function atRandom(share: number): ChooseFault {
  return () => (Math.random() < share ? oneOf(FAULTS) : null);
}

function oneOf(faults: readonly Fault[]): Fault | null {
  return faults[Math.floor(Math.random() * faults.length)] ?? null;
}

const startProcess: StartServer = (cwd, env) => startTokend(TOKEND, cwd, env);

/** In the short form only one server has a process of its own: the one with all faults. */
const starterOf = (name: string) =>
  isLong || name === "all faults at random" ? startProcess : startLogged;

const ofThree = (name: string) => name.startsWith("one node of three");

/** Runs all experiments at the same time, each with a server of its own. */
async function runExperiments(cluster: Cluster) {
  const names = Object.keys(EXPERIMENTS);
  await using stack = new AsyncDisposableStack();
  const experiments = await Promise.all(
    names.map(async (name) => {
      const agents = { earners: 2 * CLAIMS, nodes: ofThree(name) ? 3 : 1 };
      return stack.use(await beginExperiment(cluster, starterOf(name), agents));
    }),
  );
  const all = <T>(work: (experiment: RpcExperiment, name: string) => Promise<T>) =>
    Promise.all(experiments.map((each, index) => work(each, names[index] ?? "")));
  /** One server after the other, so that they do not disturb each other. */
  const latencies = async () => {
    const results = [];
    for (const each of experiments) results.push(await each.readLatency(ROUNDS));
    return results;
  };
  const before = await latencies();
  for (const [stage, milliseconds] of STAGES_MS.entries()) {
    const agents = { staleNode: await cluster.staleNode(), claims: CLAIMS, launches: LAUNCHES };
    const over = Bun.sleep(milliseconds);
    await all((each, name) => each.startFaults(EXPERIMENTS[name]?.[stage] ?? (() => null), agents));
    await Promise.all([over, all((each) => each.untilFaulty(CLAIMS + LAUNCHES))]);
  }
  const during = await latencies();
  const health = await all((each) => each.health());
  const recoverySeconds = await all((each) => each.recover());
  const comparisons = await all((each) => each.compare());
  return Object.fromEntries(
    names.map((name, index) => [
      name,
      {
        ...comparisons[index],
        before: before[index],
        during: during[index],
        health: health[index],
        recoverySeconds: recoverySeconds[index],
        ...experiments[index]?.traces(),
      },
    ]),
  );
}

describeMeteora("a server whose RPC misbehaves", () => {
  let cluster: Cluster;
  let results: Awaited<ReturnType<typeof runExperiments>>;
  beforeAll(async () => {
    cluster = await Cluster.start(SPEED);
    results = await runExperiments(cluster);
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test.each(Object.keys(EXPERIMENTS))("loses and doubles nothing in spite of: %s", (name) => {
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
    if (LOGGED.has(name)) expect(result?.warningsLogged).toBeGreaterThan(0);
    // Every other agent claims until it is paid.
    expect(result?.claimsConfirmed).toBeGreaterThanOrEqual(CLAIMS);
    expect(result?.faultyCalls).toBeGreaterThan(0);
    if (isLong && HIDING.has(name)) expect(result?.health).toBe(503);
    if (ofThree(name)) expect(result?.health).toBe(200);
    if (isLong) expect(result?.recoverySeconds).toBeLessThan(RECOVERY_LIMIT);
    const limit = MAX_SLOWDOWN * Math.max(1, result?.before?.fastest ?? 1);
    expect(result?.during?.p50).toBeLessThan(limit);
  });
});
