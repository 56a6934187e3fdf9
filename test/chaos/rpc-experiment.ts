import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { join } from "node:path";
import { type Agent, type Answer, send } from "../support/agent.ts";
import { tempDir } from "../support/processes.ts";
import { AgentActivity, launch } from "./agent-activity.ts";
import type { Cluster, LaunchWallet } from "./cluster.ts";
import { type ChainComparison, compareWithChain, signatureOf } from "./compare-with-chain.ts";
import { type Latency, measureRead } from "./latency.ts";
import type { ChooseFault } from "./rpc-faults.ts";
import type { RpcProxy } from "./rpc-proxy.ts";
import { GroupAgent, PAUSE_MS } from "./servers/group-agent.ts";
import { SeededRandom } from "./servers/seeded-random.ts";

/** The part of the RPC's URL that only its operator may see. */
const API_KEY = "rpc-api-key-0123456789";

const COMMITMENT = { commitment: "confirmed", maxSupportedTransactionVersion: 1 } as const;

/** How long an experiment waits for faulty requests, in milliseconds. */
const FAULTS_MS = 3_000;

interface StartedServer extends AsyncDisposable {
  readonly url: string;
  output(): string;
}

export type StartServer = (cwd: string, env: Record<string, string>) => Promise<StartedServer>;

/** One server behind one node or several, with agents that launch and claim while one of them misbehaves. */
export class RpcExperiment implements AsyncDisposable {
  readonly #cluster: Cluster;
  readonly #proxies: readonly RpcProxy[];
  readonly #wallet: LaunchWallet;
  readonly #folder: { readonly path: string } & Disposable;
  readonly #server: StartedServer;
  readonly #activity = new AgentActivity();
  readonly #statuses: Record<number, number> = {};
  readonly #random = new SeededRandom(1);
  /** Agents whose tokens have earned fees. */
  readonly #earners: { readonly who: GroupAgent; readonly mint: string }[] = [];
  readonly #claiming: Promise<void>[] = [];
  readonly #reading: Promise<void>[] = [];
  #faultyBefore = 0;

  private constructor(
    cluster: Cluster,
    proxies: readonly RpcProxy[],
    wallet: LaunchWallet,
    folder: { readonly path: string } & Disposable,
    server: StartedServer,
  ) {
    this.#cluster = cluster;
    this.#proxies = proxies;
    this.#wallet = wallet;
    this.#folder = folder;
    this.#server = server;
  }

  /** Starts a server, and launches tokens of several agents, which earn fees. */
  static async begin(
    cluster: Cluster,
    start: StartServer,
    earners: number,
    nodes = 1,
  ): Promise<RpcExperiment> {
    const folder = tempDir();
    const wallet = await cluster.launchWallet();
    const proxies = await Promise.all(Array.from({ length: nodes }, () => cluster.proxy()));
    const urls = proxies.map(({ host }) => `http://${host}/v2/${API_KEY}?key=${API_KEY}`);
    const server = await start(folder.path, {
      ...wallet.env,
      RPC_URL: urls.join(","),
    });
    const experiment = new RpcExperiment(cluster, proxies, wallet, folder, server);
    await atOnce(earners, async () => {
      const { agent, eventId } = await launch(server, experiment.#activity);
      const who = experiment.#patient(agent);
      const mint = (await who.untilEnded(eventId)).tokenMint ?? "";
      await cluster.earn(agent, mint);
      experiment.#earners.push({ who, mint });
    });
    return experiment;
  }

  set staleNode(url: string) {
    for (const proxy of this.#proxies) proxy.staleNode = url;
  }

  /**
   * Lets the node that was read from last misbehave while agents claim and launch.
   *
   * @param claims how many agents sign a claim before the faults and send it during them
   * @param launches how many agents launch during the faults
   */
  async startFaults(choose: ChooseFault, claims: number, launches: number): Promise<void> {
    this.#stopFaults();
    const earners = this.#earners.splice(0, claims);
    const signed = await Promise.all(earners.map(({ who, mint }) => who.prepareClaim(mint)));
    this.#faultyBefore = this.#faultyCalls;
    this.#current.startFaults(choose);
    for (const [index, { who, mint }] of earners.entries()) {
      const claim = signed[index];
      const isPatient = this.#claiming.length % 2 === 0;
      const work = isPatient || !claim ? who.claim(mint, claim) : who.claimOnce(claim);
      this.#claiming.push(this.#keepError(work));
    }
    await atOnce(launches, () => launch(this.#server, this.#activity));
    const [launched] = this.#activity.launches;
    // If the RPC hangs, the answer comes only after the time-out.
    const read = launched && this.#patient(launched.agent).read("/api/v1/tokens/claims");
    if (read) this.#reading.push(this.#keepError(read));
  }

  /** Waits for `count` faulty requests since the last start, but not for long. */
  async untilFaulty(count: number): Promise<void> {
    const deadline = performance.now() + FAULTS_MS;
    while (this.#faultyCalls - this.#faultyBefore < count && performance.now() < deadline) {
      await Bun.sleep(20);
    }
  }

  /** @returns how long each read takes that needs no chain */
  async readLatency(rounds: number): Promise<Record<string, Latency>> {
    const [launched] = this.#activity.launches;
    if (!launched) throw new Error("no agent has launched");
    const { agent, eventId } = launched;
    await agent.signIn();
    const { tokenMint } = await agent.status(eventId);
    const read = async (path: string) => expect((await agent.get(path)).status).toBe(200);
    const reads = {
      launch: () => read(`/api/v1/tokens/launch/status/${eventId}`),
      tokens: () => read("/api/v1/tokens/"),
      token: () => read(`/api/v1/tokens/${tokenMint}`),
      health: () => send(this.#server.url, "GET", "/health"),
    };
    const latencies: Record<string, Latency> = {};
    for (const [name, each] of Object.entries(reads)) {
      latencies[name] = await measureRead(each, rounds);
    }
    return latencies;
  }

  /** @returns the status of `/health` */
  async health(): Promise<number> {
    const answer = await send(this.#server.url, "GET", "/health");
    this.#check(answer);
    return answer.status;
  }

  /**
   * Stops the faults, and waits until every launch has ended, the outcome of every claim is known and
   * `/health` answers 200.
   *
   * @returns the seconds that this took
   */
  async recover(): Promise<number> {
    this.#stopFaults();
    const started = performance.now();
    await Promise.all([
      ...this.#activity.launches.map(({ agent, eventId }) =>
        this.#patient(agent).untilEnded(eventId),
      ),
      ...this.#claiming,
      ...this.#reading,
    ]);
    while (this.#claimStatuses().includes("submitted")) await Bun.sleep(PAUSE_MS);
    while ((await this.health()) !== 200) await Bun.sleep(100);
    return Number(((performance.now() - started) / 1000).toFixed(1));
  }

  async compareWithChain(): Promise<ChainComparison & { readonly claimsUnrecorded: number }> {
    const { chain } = this.#cluster;
    const { publicKey } = this.#wallet;
    // First, because the comparison sends every claim again.
    const claimsUnrecorded = await this.#countUnrecorded();
    const comparison = await compareWithChain(
      this.#server,
      chain,
      publicKey,
      this.#activity,
      this.#file,
    );
    return { ...comparison, claimsUnrecorded };
  }

  /** What the server answered and logged, and how many of its requests were faulty. */
  get traces() {
    const output = this.#server.output();
    return {
      statuses: this.#statuses,
      faultyCalls: this.#faultyCalls,
      logged: output.split("\n").length - 1,
      warningsLogged: output.split(/"level":"(?:warn|error)"/).length - 1,
      leaks: this.#secrets.filter((secret) => output.includes(secret)),
      unexpectedErrors: this.#activity.unexpectedErrors,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }

  get #secrets(): readonly string[] {
    return [API_KEY, ...this.#proxies.map(({ host }) => host)];
  }

  get #faultyCalls(): number {
    return this.#proxies.reduce((sum, { faultyCalls }) => sum + faultyCalls, 0);
  }

  get #current(): RpcProxy {
    const last = this.#proxies.map(({ calls }) =>
      calls.findLastIndex(({ method }) => method === "getMultipleAccounts"),
    );
    const current = this.#proxies[last.indexOf(Math.max(...last))];
    if (!current) throw new Error("the server has no node");
    return current;
  }

  #patient(agent: Agent): GroupAgent {
    const server = () => this.#server;
    const servers = { server, any: server, onAnswer: (answer: Answer) => this.#check(answer) };
    return new GroupAgent(servers, this.#activity, this.#random, agent);
  }

  /** No answer is a fault of the server itself, tells a secret, or leaves open when to come back. */
  #check({ status, headers, body }: Answer): void {
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    expect([status, body]).not.toEqual([500, body]);
    const text = JSON.stringify([body, [...headers]]);
    for (const secret of this.#secrets) expect(text).not.toContain(secret);
    const isHealth = typeof body === "object" && body !== null && "db" in body;
    if (status === 503 && !isHealth) expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  }

  #stopFaults(): void {
    for (const proxy of this.#proxies) proxy.stopFaults();
  }

  get #file(): string {
    return join(this.#folder.path, "data", "tokend.sqlite");
  }

  /** @returns the statuses of claims in the database, of one signature or of all */
  #claimStatuses(signature: string | null = null): string[] {
    using database = new Database(this.#file, { readonly: true });
    return database
      .query<{ status: string }, [string | null]>(
        "select status from prepared where kind = 'claim' and (?1 is null or signature = ?1)",
      )
      .all(signature)
      .map(({ status }) => status);
  }

  /** @returns how many claims are confirmed in the database and not on chain, or the other way around */
  async #countUnrecorded(): Promise<number> {
    let unrecorded = 0;
    for (const claim of this.#activity.claims) {
      const signature = signatureOf(claim);
      const transaction = await this.#cluster.chain.getTransaction(signature, COMMITMENT);
      const isConfirmed = this.#claimStatuses(signature).includes("confirmed");
      if (isConfirmed !== (transaction?.meta?.err === null)) unrecorded += 1;
    }
    return unrecorded;
  }

  /** Keeps an error for the end, because the work is not awaited until then. */
  async #keepError(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#activity.unexpectedErrors.push(error);
    }
  }
}

async function atOnce(count: number, work: () => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: count }, work));
}
