import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { describeMeteora } from "../../server/src/launchpad/meteora/testing/programs.ts";
import { send } from "../support/agent.ts";
import { tempFolder } from "../support/processes.ts";
import { Cluster } from "./cluster.ts";
import { Ordeal } from "./ordeal.ts";
import { FAULTS, type Fault, type Spoil } from "./rpc-faults.ts";
import { figures, isLong, scale } from "./scale.ts";
import { startFromSource, startHere } from "./source-server.ts";

setDefaultTimeout(scale(110_000, 1_800_000));

/** How many times faster than ours the chain's time runs: blockhashes expire in 3 s, or in 60. */
const SPEED = scale(20, 1);
/** How long the RPC fails at least in part, and then altogether, in milliseconds. */
const STAGES_MS = [scale(500, 60_000), scale(500, 90_000)] as const;
/** Claims and launches on their way in each of the two. */
const CLAIMS = scale(1, 5);
const LAUNCHES = scale(2, 20);
const ROUNDS = scale(10, 200);
/** How much longer reads that need no chain may take while the RPC fails: machines have moods. */
const MOOD = scale(10, 3);
/** Seconds. */
const RECOVERY_LIMIT = 60;
/** Within which `/health` tells of an RPC that hangs, in seconds. */
const HANG_LIMIT = 5;

/** Faults behind which nothing of the chain is to be seen: then `/health` tells. */
const SILENCING: ReadonlySet<string> = new Set<Fault>([
  "request lost",
  "answer lost",
  "429",
  "429 with Retry-After",
  "500",
  "garbage",
  "half a body",
  "stale node",
  "hang",
]);

/** Faults of which requests fail at once, so that the log tells of each. */
const LOUD: ReadonlySet<Fault> = new Set<Fault>([
  "answer lost",
  "429",
  "429 with Retry-After",
  "500",
  "garbage",
  "half a body",
]);

/** Faults that come together in the short form, and each alone in the long one. */
const GROUPS: Readonly<Record<string, readonly Fault[]>> = isLong
  ? Object.fromEntries(FAULTS.map((fault) => [fault, [fault]]))
  : {
      "requests that do not arrive": ["request lost", "hang"],
      "answers that do not arrive": ["answer lost", "half a body", "garbage"],
      "refusals to answer": ["429", "429 with Retry-After", "500"],
      "nodes that know too little": ["stale node", "forgetful node"],
      "delays beyond the blockhash": ["late delivery", "slow"],
    };

/** What goes wrong, in part and altogether. */
const ORDEALS: Readonly<Record<string, readonly [Spoil, Spoil]>> = {
  ...Object.fromEntries(
    Object.entries(GROUPS).map(([name, faults]) => [name, [partly(faults), () => oneOf(faults)]]),
  ),
  "all at random": [atRandom(0.3), atRandom(0.7)],
};

/** In part: to transactions that are sent, or to every other request where a node is sick. */
function partly(faults: readonly Fault[]): Spoil {
  const isSick = faults.some((fault) => fault === "stale node" || fault === "forgetful node");
  if (isSick) return () => (Math.random() < 0.5 ? oneOf(faults) : null);
  return (method) => (method === "sendTransaction" ? oneOf(faults) : null);
}

function atRandom(share: number): Spoil {
  return () => (Math.random() < share ? oneOf(FAULTS) : null);
}

function oneOf(faults: readonly Fault[]): Fault | null {
  return faults[Math.floor(Math.random() * faults.length)] ?? null;
}

const isTold = (name: string) => GROUPS[name]?.every((fault) => LOUD.has(fault)) ?? false;

type Result = Awaited<ReturnType<typeof suffer>>;

/** In the short form one server has a process of its own and a log: the one that meets everything. */
const starterOf = (name: string) =>
  isLong || name === "all at random" ? startFromSource : startHere;

/** Lets one server after the other do a thing that others would disturb. */
async function inTurn<T>(ordeals: readonly Ordeal[], work: (ordeal: Ordeal) => Promise<T>) {
  const results: T[] = [];
  for (const ordeal of ordeals) results.push(await work(ordeal));
  return results;
}

/** Puts a server through each of the ordeals, all at the same time. */
async function suffer(cluster: Cluster) {
  const names = Object.keys(ORDEALS);
  const ordeals = await Promise.all(
    names.map((name) => Ordeal.begin(cluster, starterOf(name), 2 * CLAIMS)),
  );
  try {
    const calm = await inTurn(ordeals, (ordeal) => ordeal.latency(ROUNDS));
    for (const [stage, milliseconds] of STAGES_MS.entries()) {
      const staleNode = await cluster.staleNode();
      const over = Bun.sleep(milliseconds);
      await Promise.all(
        ordeals.map((ordeal, index) => {
          ordeal.staleNode = staleNode;
          const spoil = ORDEALS[names[index] ?? ""]?.[stage] ?? (() => null);
          return ordeal.strike(spoil, CLAIMS, LAUNCHES);
        }),
      );
      await Promise.all([over, ...ordeals.map((ordeal) => ordeal.harmed(CLAIMS + LAUNCHES))]);
    }
    const hurt = await inTurn(ordeals, (ordeal) => ordeal.latency(ROUNDS));
    const health = await Promise.all(ordeals.map((ordeal) => ordeal.health()));
    const recovery = await Promise.all(ordeals.map((ordeal) => ordeal.recover()));
    const books = await Promise.all(ordeals.map((ordeal) => ordeal.books()));
    return Object.fromEntries(
      names.map((name, index) => [
        name,
        {
          ...books[index],
          calm: calm[index],
          hurt: hurt[index],
          health: health[index],
          recoverySeconds: recovery[index],
          ...ordeals[index]?.traces,
        },
      ]),
    );
  } finally {
    await Promise.all(ordeals.map((ordeal) => ordeal[Symbol.asyncDispose]()));
  }
}

describeMeteora("a hostile RPC", () => {
  let cluster: Cluster;
  let results: Result;
  beforeAll(async () => {
    cluster = await Cluster.start(SPEED);
    results = await suffer(cluster);
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  test.each(Object.keys(ORDEALS))("%s costs nothing but time", (name) => {
    const result = results[name];
    figures(`hostile RPC, ${name}`, { ...result });
    expect(result).toMatchObject({
      lost: 0,
      stuck: 0,
      unsuccessful: 0,
      deployedTwice: 0,
      claimsRecordedWrong: 0,
      claimsUnrecorded: 0,
      leaks: [],
      surprises: [],
    });
    // What was not written down could not leak.
    expect(result?.logged).toBeGreaterThan(0);
    if (isTold(name)) expect(result?.troubleLogged).toBeGreaterThan(0);
    // Every other agent insists.
    expect(result?.claimsConfirmed).toBeGreaterThanOrEqual(CLAIMS);
    expect(result?.harmed).toBeGreaterThan(0);
    if (isLong && SILENCING.has(name)) expect(result?.health).toBe(503);
    expect(result?.recoverySeconds).toBeLessThan(RECOVERY_LIMIT);
    expect(result?.hurt?.p50).toBeLessThan(MOOD * Math.max(1, result?.calm?.p50 ?? 0));
  });

  test("/health tells within five seconds that the RPC hangs", async () => {
    using folder = tempFolder();
    const [proxy, wallet] = await Promise.all([cluster.proxy(), cluster.launchWallet()]);
    await using server = await startHere(folder.path, {
      ...wallet.env,
      RPC_URL: `http://${proxy.host}`,
    });
    const health = () => send(server.url, "GET", "/health");
    while ((await health()).status !== 200) await Bun.sleep(20);
    // A probe has just been answered, so that the next one is as far away as it can be.
    proxy.spoil(() => "hang");
    const hung = performance.now();
    while ((await health()).status === 200) await Bun.sleep(20);
    const seconds = (performance.now() - hung) / 1000;
    figures("hanging RPC", { seconds: Number(seconds.toFixed(2)), requests: proxy.harmed });
    expect((await health()).body).toMatchObject({
      ok: false,
      message: "The Solana RPC does not answer in time",
    });
    expect(seconds).toBeLessThan(HANG_LIMIT);
    expect(proxy.harmed).toBeLessThanOrEqual(2);
    proxy.calm();
    while ((await health()).status !== 200) await Bun.sleep(20);
  });
});
