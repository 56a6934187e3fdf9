import { join } from "node:path";
import { LaunchAcceptedSchema } from "@tokenctl/shared/contract/launch";
import { Agent, expectShape, send } from "../support/agent.ts";
import { tempFolder } from "../support/processes.ts";
import { AgentActivity, type SignedClaim } from "./agent-activity.ts";
import type { Cluster, LaunchWallet } from "./cluster.ts";
import { type ChainComparison, compareWithChain } from "./compare-with-chain.ts";
import type { StartServer } from "./rpc-experiment.ts";
import type { Fault } from "./rpc-faults.ts";
import type { RpcProxy } from "./rpc-proxy.ts";
import type { StartedServer } from "./source-server.ts";

/** The part of the nodes' URLs that only the operator may see. */
const API_KEY = "rpc-api-key-9876543210";

/** One server behind several nodes of one cluster; one node fails at a time. */
export class RpcNodesExperiment implements AsyncDisposable {
  readonly #cluster: Cluster;
  readonly #proxies: readonly RpcProxy[];
  readonly #wallet: LaunchWallet;
  readonly #folder: { readonly path: string } & Disposable;
  readonly #server: StartedServer;
  readonly #activity = new AgentActivity();

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

  static async begin(
    cluster: Cluster,
    start: StartServer,
    nodes: number,
  ): Promise<RpcNodesExperiment> {
    const folder = tempFolder();
    const [wallet, ...proxies] = await Promise.all([
      cluster.launchWallet(),
      ...Array.from({ length: nodes }, () => cluster.proxy()),
    ]);
    const urls = proxies.map(({ host }) => `http://${host}/v2/${API_KEY}?key=${API_KEY}`);
    const server = await start(folder.path, { ...wallet.env, RPC_URL: urls.join(",") });
    return new RpcNodesExperiment(cluster, proxies, wallet, folder, server);
  }

  /** URL of the node from which a lagging one answers. */
  set staleNode(url: string) {
    for (const proxy of this.#proxies) proxy.staleNode = url;
  }

  /** Lets all requests to one node fail. @param node 1 for the first */
  break(node: number, fault: Fault): void {
    this.#proxies[node - 1]?.startFaults(() => fault);
  }

  heal(): void {
    for (const proxy of this.#proxies) proxy.stopFaults();
  }

  /** The node that was read from last, of those that do not fail. */
  current(): number {
    const last = this.#proxies.map(({ calls }) =>
      calls.findLastIndex(({ method }) => method === "simulateTransaction"),
    );
    return last.indexOf(Math.max(...last)) + 1;
  }

  /** Launches `count` tokens at once. @returns how long each took to succeed, in milliseconds */
  launch(count: number): Promise<number[]> {
    return Promise.all(
      Array.from({ length: count }, async () => {
        const agent = await Agent.signedIn(this.#server);
        const started = performance.now();
        const { body } = await agent.launch({ ticker: this.#activity.nextTicker() });
        const { eventId } = expectShape(LaunchAcceptedSchema, body);
        this.#activity.launches.push({ agent, eventId });
        const { status } = await agent.untilEnded(eventId);
        return status === "success" ? performance.now() - started : Number.NaN;
      }),
    );
  }

  /** Lets a token earn fees, and its agent sign a claim that is not sent yet. */
  async signClaim(): Promise<SignedClaim> {
    const [launch] = this.#activity.launches.splice(0, 1);
    if (!launch) throw new Error("no agent has launched");
    this.#activity.launches.push(launch);
    const { agent, eventId } = launch;
    const { tokenMint } = await agent.untilEnded(eventId);
    const mint = tokenMint ?? "";
    await this.#cluster.earn(agent, mint);
    const { transaction } = await agent.prepareClaim(mint);
    const signedTransaction = agent.signClaim(transaction);
    const claim: SignedClaim = { agent, mint, signedTransaction, answer: null };
    this.#activity.claims.push(claim);
    return claim;
  }

  /** Sends a signed claim once. @returns the answer's status */
  async sendClaim(claim: SignedClaim): Promise<number> {
    const { status, body } = await claim.agent.submitClaim(claim.mint, claim.signedTransaction);
    if (status === 200) claim.answer = body as SignedClaim["answer"];
    return status;
  }

  /** Polls `/health` until its message is about nodes, or until there is none. @returns both */
  async untilHealth(isAbout: "nodes" | "nothing"): Promise<{ status: number; message: string }> {
    for (;;) {
      const { status, body } = await send(this.#server.url, "GET", "/health");
      const { message = "" } = body as { message?: string };
      if (isAbout === "nodes" ? message.includes("node ") : message === "") {
        return { status, message };
      }
      await Bun.sleep(50);
    }
  }

  compareWithChain(): Promise<ChainComparison> {
    return compareWithChain(
      this.#server,
      this.#cluster.chain,
      this.#wallet.publicKey,
      this.#activity,
      join(this.#folder.path, "data", "tokend.sqlite"),
    );
  }

  /** How often work on the chain was put off, and which secrets were logged. */
  get traces() {
    const output = this.#server.output();
    const secrets = [API_KEY, ...this.#proxies.map(({ host }) => host)];
    return {
      putOff: output.split("launch put off").length - 1,
      leaks: secrets.filter((secret) => output.includes(secret)),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.heal();
    await this.#server[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }
}
