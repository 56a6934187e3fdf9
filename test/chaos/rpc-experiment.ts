import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { join } from "node:path";
import {
  FaultyRpc,
  FAULTS as REQUEST_FAULTS,
  type Spoil,
} from "../../server/src/solana/testing/faulty-rpc.ts";
import { type Agent, type Answer, send } from "../support/agent.ts";
import type { Cluster } from "../support/cluster.ts";
import { tempDir } from "../support/processes.ts";
import { AgentActivity, launch } from "./agent-activity.ts";
import { compareWithChain, signatureOf } from "./compare-with-chain.ts";
import { latencyOf } from "./latency.ts";
import { GroupAgent, PAUSE_MS } from "./servers/group-agent.ts";
import { SeededRandom } from "./servers/seeded-random.ts";

/** What can go wrong with a request to a node. */
export const FAULTS = [
  ...REQUEST_FAULTS.filter((fault) => fault !== "JSON-RPC error"),
  /** A node answers that has stopped following the cluster; it still forwards transactions. */
  "stale node",
  "forgetful node",
  /** A transaction reaches the cluster only once its blockhash has expired. */
  "late delivery",
  /** No answer comes, and the connection stays open until the faults stop. */
  "hang",
  "slow",
] as const;

export type Fault = (typeof FAULTS)[number];

/** Decides for each request what goes wrong with it; null for nothing. */
export type ChooseFault = (method: string) => Fault | null;

/** The part of the RPC's URL that only its operator may see. */
const API_KEY = "rpc-api-key-0123456789";

const COMMITMENT = { commitment: "confirmed", maxSupportedTransactionVersion: 1 } as const;

/** How long an experiment waits for faulty requests, in milliseconds. */
const FAULTS_MS = 3_000;

/** The longest time of a "slow" answer, in milliseconds. */
const SLOW_MS = 2_000;

interface StartedServer extends AsyncDisposable {
  readonly url: string;
  output(): string;
}

export type StartServer = (cwd: string, env: Record<string, string>) => Promise<StartedServer>;

export type RpcExperiment = Awaited<ReturnType<typeof beginExperiment>>;

/**
 * Starts a server behind one node or several, and launches tokens of several agents, which earn fees. Then
 * agents launch and claim while one of the nodes misbehaves.
 */
export async function beginExperiment(
  cluster: Cluster,
  start: StartServer,
  { earners: count, nodes = 1 }: { readonly earners: number; readonly nodes?: number },
) {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(tempDir());
  const file = join(folder.path, "data", "tokend.sqlite");
  const wallet = await cluster.launchWallet();
  const proxies = Array.from({ length: nodes }, () => stack.use(FaultyRpc.before(cluster.url)));
  const urls = proxies.map(({ url }) => `${url}/v2/${API_KEY}?key=${API_KEY}`);
  const server = stack.use(await start(folder.path, { ...wallet.env, RPC_URL: urls.join(",") }));
  const activity = new AgentActivity();
  const random = new SeededRandom(1);
  const statuses: Record<number, number> = {};
  const secrets = [API_KEY, ...proxies.map(({ url }) => new URL(url).host)];
  /** What is not awaited before the faults are over. */
  const underWay: Promise<void>[] = [];
  let hanging = Promise.withResolvers<null>();
  let [before, claimed] = [0, 0];

  /** No answer is a fault of the server itself, tells a secret, or leaves open when to come back. */
  const check = ({ status, headers, body }: Answer): void => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    expect([status, body]).not.toEqual([500, body]);
    const text = JSON.stringify([body, [...headers]]);
    for (const secret of secrets) expect(text).not.toContain(secret);
    const isHealth = typeof body === "object" && body !== null && "db" in body;
    if (status === 503 && !isHealth) expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  };
  const servers = { server: () => server, any: () => server, onAnswer: check };
  const patient = (agent: Agent) => new GroupAgent(servers, activity, random, agent);
  const earners: { readonly who: GroupAgent; readonly mint: string }[] = [];
  await atOnce(count, async () => {
    const { agent, eventId } = await launch(server, activity);
    const who = patient(agent);
    const mint = (await who.untilEnded(eventId)).tokenMint ?? "";
    await cluster.earn(agent, mint);
    earners.push({ who, mint });
  });

  const faultyCalls = () => proxies.reduce((sum, { faults }) => sum + faults, 0);
  const goOn = (work: Promise<void>) =>
    void underWay.push(work.catch((error) => void activity.unexpectedErrors.push(error)));
  const stopFaults = () => {
    for (const proxy of proxies) proxy.calm();
    hanging.resolve(null);
    hanging = Promise.withResolvers();
  };
  const health = async (): Promise<number> => {
    const answer = await send(server.url, "GET", "/health");
    check(answer);
    return answer.status;
  };
  /** @returns the statuses of claims in the database, of one signature or of all */
  const claimStatuses = (signature: string | null = null): string[] => {
    using database = new Database(file, { readonly: true });
    return database
      .query<{ status: string }, [string | null]>(
        "select status from prepared where kind = 'claim' and (?1 is null or signature = ?1)",
      )
      .all(signature)
      .map(({ status }) => status);
  };

  /** @param staleNode the URL of a node that stays at an earlier state */
  function spoiling(choose: ChooseFault, staleNode: string): Spoil {
    return (method, pass) => {
      const fault = choose(method);
      const isSend = method === "sendTransaction";
      switch (fault) {
        case "stale node":
          return pass(isSend ? undefined : (_, init) => fetch(staleNode, init));
        case "forgetful node":
          return pass().then((answer) =>
            method === "getSignatureStatuses" ? forget(answer) : answer,
          );
        case "late delivery":
          return Bun.sleep(isSend ? cluster.expiryMs : 0).then(() => pass());
        case "slow":
          return Bun.sleep(Math.random() * SLOW_MS).then(() => pass());
        case "hang":
          return hanging.promise;
        default:
          return fault;
      }
    };
  }

  const owned = stack.move();
  return {
    health,
    /**
     * Lets the node that was read from most misbehave while agents claim and launch.
     *
     * @param claims how many agents sign a claim before the faults and send it during them
     * @param launches how many agents launch during the faults
     */
    async startFaults(
      choose: ChooseFault,
      { staleNode, claims, launches }: { staleNode: string; claims: number; launches: number },
    ): Promise<void> {
      stopFaults();
      const claiming = earners.splice(0, claims);
      const signed = await Promise.all(claiming.map(({ who, mint }) => who.prepareClaim(mint)));
      before = faultyCalls();
      const reads = (proxy: FaultyRpc) => proxy.count("getMultipleAccounts");
      const [current] = proxies.toSorted((one, other) => reads(other) - reads(one));
      current?.spoil(spoiling(choose, staleNode));
      for (const [index, { who, mint }] of claiming.entries()) {
        const claim = signed[index];
        const isPatient = claimed++ % 2 === 0;
        goOn(isPatient || !claim ? who.claim(mint, claim) : who.claimOnce(claim));
      }
      await atOnce(launches, () => launch(server, activity));
      const [launched] = activity.launches;
      // If the RPC hangs, the answer comes only after the time-out.
      if (launched) goOn(patient(launched.agent).read("/api/v1/tokens/claims"));
    },
    /** Waits for `count` faulty requests since the last start, but not for long. */
    async untilFaulty(count: number): Promise<void> {
      const deadline = performance.now() + FAULTS_MS;
      while (faultyCalls() - before < count && performance.now() < deadline) await Bun.sleep(20);
    },
    /** @returns how long reads take that need no chain */
    async readLatency(rounds: number) {
      const [launched] = activity.launches;
      if (!launched) throw new Error("no agent has launched");
      const { agent, eventId } = launched;
      await agent.signIn();
      const { tokenMint } = await agent.status(eventId);
      const times: number[] = [];
      for (let round = 0; round < rounds; round++) {
        for (const path of [`launch/status/${eventId}`, "", tokenMint]) {
          const started = performance.now();
          expect((await agent.get(`/api/v1/tokens/${path}`)).status).toBe(200);
          times.push(performance.now() - started);
        }
        await health();
      }
      return latencyOf(times);
    },
    /**
     * Stops the faults, and waits until every launch has ended, the outcome of every claim is known and
     * `/health` answers 200.
     *
     * @returns the seconds that this took
     */
    async recover(): Promise<number> {
      stopFaults();
      const started = performance.now();
      const launches = activity.launches.map(({ agent, eventId }) =>
        patient(agent).untilEnded(eventId),
      );
      await Promise.all([...launches, ...underWay]);
      while (claimStatuses().includes("submitted")) await Bun.sleep(PAUSE_MS);
      while ((await health()) !== 200) await Bun.sleep(100);
      return Number(((performance.now() - started) / 1000).toFixed(1));
    },
    /** Compares the database with the chain. */
    async compare() {
      const { chain } = cluster;
      let claimsUnrecorded = 0;
      // First, because the comparison sends every claim again.
      for (const claim of activity.claims) {
        const signature = signatureOf(claim);
        const transaction = await chain.getTransaction(signature, COMMITMENT);
        const isConfirmed = claimStatuses(signature).includes("confirmed");
        if (isConfirmed !== (transaction?.meta?.err === null)) claimsUnrecorded += 1;
      }
      const comparison = await compareWithChain(server, chain, wallet.publicKey, activity, file);
      return { ...comparison, claimsUnrecorded };
    },
    /** What the server answered and logged, and how many of its requests were faulty. */
    traces() {
      const output = server.output();
      return {
        statuses,
        faultyCalls: faultyCalls(),
        logged: output.split("\n").length - 1,
        warningsLogged: output.split(/"level":"(?:warn|error)"/).length - 1,
        leaks: secrets.filter((secret) => output.includes(secret)),
        unexpectedErrors: activity.unexpectedErrors,
      };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function forget(answer: Response): Promise<Response> {
  const reply = (await answer.json()) as { result?: { value: unknown[] } };
  if (reply.result) reply.result.value = reply.result.value.map(() => null);
  return Response.json(reply);
}

async function atOnce(count: number, work: () => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: count }, work));
}
