import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { describeMeteora } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { Cluster } from "./cluster.ts";
import { NO_DIFFERENCE } from "./compare-with-chain.ts";
import type { Fault } from "./rpc-faults.ts";
import { RpcNodesExperiment } from "./rpc-nodes-experiment.ts";
import { figures, isLong, scale } from "./scale.ts";
import { startHere } from "./source-server.ts";

setDefaultTimeout(scale(600_000, 1_800_000));

const NODES = 3;
/** How often a node fails, a different one each time. */
const ROUNDS = scale(1, 6);
/** Launches at once: before a fault, at its start, and once the node is left out. */
const LAUNCHES = scale(2, 8);
/** How far the lagging node is at least behind, in slots. */
const LAG = 200;

const STOPS = "stops following its cluster";

/** What the node does, and how `/health` names it. */
const EXPERIMENTS: readonly (readonly [what: string, fault: Fault, problem: string])[] = [
  ["is dead", "request lost", "cannot be reached"],
  ["hangs", "hang", "does not answer in time"],
  [`lags ${LAG} slots`, "stale node", "is behind its cluster"],
  ["answers garbage", "garbage", "gives malformed answers"],
  // It is noticed only once it is far enough behind, which takes long.
  ...(isLong ? ([[STOPS, "stale node", "is behind its cluster"]] as const) : []),
];

interface Result {
  readonly before: number[];
  readonly during: number[];
  readonly after: number[];
  readonly claims: number[];
  readonly health: { status: number; message: string }[];
}

/** Breaks the node that is read from, while launches and a claim go on. */
async function breakNodes(
  experiment: RpcNodesExperiment,
  fault: Fault,
  beforeFault: () => Promise<void>,
): Promise<Result> {
  const result: Result = { before: [], during: [], after: [], claims: [], health: [] };
  for (let round = 0; round < ROUNDS; round++) {
    result.before.push(...(await experiment.launch(LAUNCHES)));
    const claim = await experiment.signClaim();
    const launching = experiment.launch(LAUNCHES);
    // In the short form it fails before they start, otherwise in the middle of them.
    if (round > 0) await Bun.sleep(Math.random() * 1_000);
    await beforeFault();
    experiment.break(experiment.current(), fault);
    result.claims.push(await experiment.sendClaim(claim));
    result.during.push(...(await launching));
    result.health.push(await experiment.untilHealth("nodes"));
    result.after.push(...(await experiment.launch(LAUNCHES)));
    experiment.heal();
    if (round + 1 < ROUNDS) await experiment.untilHealth("nothing");
  }
  return result;
}

describeMeteora("a server with three RPC nodes when one fails", () => {
  let cluster: Cluster;
  let results: Map<string, Result & Awaited<ReturnType<typeof compare>>>;

  /** What the chain and the log show. */
  async function compare(experiment: RpcNodesExperiment) {
    return { ...(await experiment.compareWithChain()), ...experiment.traces };
  }

  beforeAll(async () => {
    cluster = await Cluster.start(1);
    const stale = await cluster.staleNode();
    await cluster.skip(LAG);
    results = new Map(
      await Promise.all(
        EXPERIMENTS.map(async ([what, fault]) => {
          await using experiment = await RpcNodesExperiment.begin(cluster, startHere, NODES);
          experiment.staleNode = stale;
          const result = await breakNodes(experiment, fault, async () => {
            if (what === STOPS) experiment.staleNode = await cluster.staleNode();
          });
          return [what, { ...result, ...(await compare(experiment)) }] as const;
        }),
      ),
    );
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test.each(EXPERIMENTS)("launches and claims go on while one %s", (what, _, problem) => {
    const result = results.get(what);
    if (!result) throw new Error("no result");
    const { before, during, after, claims, health, ...rest } = result;
    const undisturbed = before.toSorted((a, b) => a - b);
    const usual = undisturbed[Math.floor(undisturbed.length / 2)] ?? Number.NaN;
    figures(`one RPC node of three ${what}`, {
      launches: before.length + during.length + after.length,
      usualMs: Math.round(usual),
      slowestBeforeMs: Math.round(Math.max(...before)),
      slowestDuringMs: Math.round(Math.max(...during)),
      slowestAfterMs: Math.round(Math.max(...after)),
      worstAddedMs: Math.round(Math.max(...during, ...after) - usual),
      ...rest,
    });
    expect(rest).toMatchObject({ ...NO_DIFFERENCE, putOff: 0, leaks: [] });
    expect([...before, ...during, ...after].every(Number.isFinite)).toBe(true);
    expect(claims).toEqual(claims.map(() => 200));
    for (const { status, message } of health) {
      expect(status).toBe(200);
      expect(message).toMatch(new RegExp(`(?:^|; )RPC: node [1-${NODES}] ${problem}$`));
    }
  });
});
