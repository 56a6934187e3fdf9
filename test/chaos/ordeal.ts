import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { join } from "node:path";
import {
  ClaimReceiptSchema,
  LaunchAcceptedSchema,
  PreparedClaimSchema,
} from "@tokenctl/shared/response-schemas";
import type { LaunchStatus } from "@tokenctl/shared/types";
import { Agent, type Answer, expectShape, send } from "../support/agent.ts";
import { tempFolder } from "../support/processes.ts";
import { type AcceptedLaunch, Ledger, type SignedClaim } from "./agents.ts";
import { type Books, compareBooks, signatureOf } from "./books.ts";
import type { Cluster, LaunchWallet } from "./cluster.ts";
import { type Latency, measure } from "./latency.ts";
import type { Spoil } from "./rpc-faults.ts";
import type { RpcProxy } from "./rpc-proxy.ts";
import { scale } from "./scale.ts";
import type { StartedServer } from "./source-server.ts";

/** The part of the RPC's URL that only its operator may see. */
const API_KEY = "rpc-api-key-0123456789";

/** Milliseconds after which agents ask again; in the long form there are hundreds of them. */
const AGENT_PAUSE_MS = scale(250, 2_000);

const COMMITMENT = { commitment: "confirmed", maxSupportedTransactionVersion: 0 } as const;

/** Milliseconds that are waited for requests to be harmed. */
const HARM_MS = 3_000;

/** An agent whose token has earned fees. */
interface Earner {
  readonly agent: Agent;
  readonly mint: string;
}

/** One server behind one proxy, with agents that launch and claim while its RPC misbehaves. */
export class Ordeal implements AsyncDisposable {
  readonly #cluster: Cluster;
  readonly #proxy: RpcProxy;
  readonly #wallet: LaunchWallet;
  readonly #folder: { readonly path: string } & Disposable;
  readonly #server: StartedServer;
  readonly #ledger = new Ledger();
  readonly #earners: Earner[] = [];
  readonly #claiming: Promise<void>[] = [];
  readonly #reading: Promise<void>[] = [];
  #harmedBefore = 0;
  /** Answers that had to do with the chain, by status. */
  readonly #statuses: Record<number, number> = {};
  #slowestMs = 0;

  private constructor(
    cluster: Cluster,
    proxy: RpcProxy,
    wallet: LaunchWallet,
    folder: { readonly path: string } & Disposable,
    server: StartedServer,
  ) {
    this.#cluster = cluster;
    this.#proxy = proxy;
    this.#wallet = wallet;
    this.#folder = folder;
    this.#server = server;
  }

  /** Starts a server, and launches tokens of so many agents, which earn fees. */
  static async begin(
    cluster: Cluster,
    start: (cwd: string, env: Record<string, string>) => Promise<StartedServer>,
    earners: number,
  ): Promise<Ordeal> {
    const folder = tempFolder();
    const [proxy, wallet] = await Promise.all([cluster.proxy(), cluster.launchWallet()]);
    const server = await start(folder.path, {
      ...wallet.env,
      RPC_URL: `http://${proxy.host}/v2/${API_KEY}?key=${API_KEY}`,
    });
    const ordeal = new Ordeal(cluster, proxy, wallet, folder, server);
    await times(earners, async () => {
      const { agent, eventId } = await ordeal.#launch();
      const mint = (await ended(agent, eventId)).tokenMint ?? "";
      await cluster.earn(agent, mint);
      ordeal.#earners.push({ agent, mint });
    });
    return ordeal;
  }

  /** The node from which "stale node" answers. */
  set staleNode(url: string) {
    this.#proxy.staleNode = url;
  }

  /**
   * Lets the RPC misbehave, with claims and launches on their way.
   *
   * @param claims how many agents sign a claim before it begins, and send it then
   * @param launches how many agents launch once it has begun
   */
  async strike(spoil: Spoil, claims: number, launches: number): Promise<void> {
    this.#proxy.calm();
    const earners = this.#earners.splice(0, claims);
    const signed = await Promise.all(earners.map((earner) => this.#prepare(earner)));
    this.#harmedBefore = this.#proxy.harmed;
    this.#proxy.spoil(spoil);
    for (const [index, earner] of earners.entries()) {
      const claim = signed[index] ?? null;
      const isPatient = this.#claiming.length % 2 === 0;
      this.#claiming.push(
        this.#bear(isPatient ? this.#claim(earner, claim) : this.#tryOnce(claim)),
      );
    }
    await times(launches, () => this.#launch());
    const [launched] = this.#ledger.launches;
    // Answered after its time-out where the RPC hangs: nobody waits for it here.
    if (launched) this.#reading.push(this.#bear(this.#readFees(launched.agent)));
  }

  /** Waits until so many requests were harmed since the last strike, but no longer than a while. */
  async harmed(count: number): Promise<void> {
    const deadline = performance.now() + HARM_MS;
    while (this.#proxy.harmed - this.#harmedBefore < count && performance.now() < deadline) {
      await Bun.sleep(20);
    }
  }

  /** How long reads take that need no chain. */
  async latency(rounds: number): Promise<Latency> {
    const [launched] = this.#ledger.launches;
    if (!launched) throw new Error("nobody has launched");
    const { agent, eventId } = launched;
    await agent.signIn();
    const { tokenMint } = await agent.status(eventId);
    const paths = [
      `/api/v1/tokens/launch/status/${eventId}`,
      "/api/v1/tokens/",
      `/api/v1/tokens/${tokenMint}`,
    ];
    const health = () => send(this.#server.url, "GET", "/health");
    return measure([...paths.map((path) => () => agent.get(path)), health], rounds);
  }

  /** @returns what `/health` says */
  async health(): Promise<number> {
    return (await this.#ask(() => send(this.#server.url, "GET", "/health"))).status;
  }

  /**
   * Lets the RPC be well, and waits until every launch has ended, the outcome of every claim is known
   * and the service calls itself healthy.
   *
   * @returns the seconds that this took
   */
  async recover(): Promise<number> {
    this.#proxy.calm();
    const started = performance.now();
    await Promise.all([
      ...this.#ledger.launches.map(async ({ agent, eventId }) => {
        await agent.signIn();
        await ended(agent, eventId);
      }),
      ...this.#claiming,
      ...this.#reading,
    ]);
    while (this.#claimStatuses().includes("submitted")) await Bun.sleep(AGENT_PAUSE_MS);
    while ((await this.health()) !== 200) await Bun.sleep(100);
    return Number(((performance.now() - started) / 1000).toFixed(1));
  }

  /** What was promised against what happened. */
  async books(): Promise<Books & { readonly claimsUnrecorded: number }> {
    const { chain } = this.#cluster;
    const { publicKey } = this.#wallet;
    // Looked at first: comparing the books sends every claim again.
    const claimsUnrecorded = await this.#countUnrecorded();
    const books = await compareBooks(this.#server, chain, publicKey, this.#ledger, this.#file);
    return { ...books, claimsUnrecorded };
  }

  get #file(): string {
    return join(this.#folder.path, "data", "tokend.sqlite");
  }

  /** @returns the statuses of claims in the database, of one signature or of all */
  #claimStatuses(signature: string | null = null): string[] {
    using database = new Database(this.#file, { readonly: true });
    return database
      .query<{ status: string }, [string | null]>(
        "select status from claims where ?1 is null or signature = ?1",
      )
      .all(signature)
      .map(({ status }) => status);
  }

  /** Claims of which the database says otherwise than the chain, whether their agents know or not. */
  async #countUnrecorded(): Promise<number> {
    let unrecorded = 0;
    for (const claim of this.#ledger.claims) {
      const signature = signatureOf(claim);
      const landed = await this.#cluster.chain.getTransaction(signature, COMMITMENT);
      const isConfirmed = this.#claimStatuses(signature).includes("confirmed");
      if (isConfirmed !== (landed?.meta?.err === null)) unrecorded += 1;
    }
    return unrecorded;
  }

  /** What the server said meanwhile, and how often its requests were harmed. */
  get traces() {
    return {
      statuses: this.#statuses,
      slowestSeconds: Math.round(this.#slowestMs / 100) / 10,
      harmed: this.#proxy.harmed,
      logged: this.#server.output().split("\n").length - 1,
      troubleLogged: this.#server.output().split(/"level":"(?:warn|error)"/).length - 1,
      leaks: this.#secrets.filter((secret) => this.#server.output().includes(secret)),
      surprises: this.#ledger.surprises,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    this.#folder[Symbol.dispose]();
  }

  get #secrets(): readonly string[] {
    return [API_KEY, this.#proxy.host];
  }

  async #launch(): Promise<AcceptedLaunch> {
    const agent = await Agent.signedIn(this.#server);
    const { status, body } = await agent.launch({ ticker: this.#ledger.nextTicker() });
    expect(status).toBe(200);
    const { eventId } = expectShape(LaunchAcceptedSchema, body);
    const launch = { agent, eventId };
    this.#ledger.launches.push(launch);
    return launch;
  }

  /** Keeps what goes wrong for the end: nobody awaits this until then. */
  async #bear(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#ledger.surprises.push(error);
    }
  }

  async #readFees(agent: Agent): Promise<void> {
    const { status } = await this.#ask(() => agent.get("/api/v1/tokens/claims"));
    expect([200, 503]).toContain(status);
  }

  /** @returns null where the service cannot build a claim now */
  async #prepare({ agent, mint }: Earner): Promise<SignedClaim | null> {
    await agent.signIn();
    const { status, body } = await this.#ask(() => agent.post(`/api/v1/tokens/claims/${mint}`));
    if (status !== 200) {
      expect([502, 503]).toContain(status);
      return null;
    }
    const { transaction } = expectShape(PreparedClaimSchema, body);
    const signedTransaction = agent.signClaim(transaction);
    const claim: SignedClaim = { agent, mint, signedTransaction, answer: null };
    this.#ledger.claims.push(claim);
    return claim;
  }

  /** Claims until it is paid, as a patient client does. */
  async #claim(earner: Earner, first: SignedClaim | null): Promise<void> {
    let claim = first;
    while (!claim || !(await this.#submit(claim))) {
      await Bun.sleep(AGENT_PAUSE_MS);
      claim = await this.#prepare(earner);
    }
  }

  /** Sends a claim once, as a client does that goes away whatever it is answered. */
  async #tryOnce(claim: SignedClaim | null): Promise<void> {
    if (!claim) return;
    const { status } = await this.#send(claim);
    expect([200, 409, 502, 503]).toContain(status);
  }

  /** Sends a claim until its outcome is known. @returns false where it expired */
  async #submit(claim: SignedClaim): Promise<boolean> {
    for (;;) {
      const { status, body } = await this.#send(claim);
      if (status === 200) {
        const { transactionHash, claimedSOL } = expectShape(ClaimReceiptSchema, body);
        claim.answer = { transactionHash, claimedSOL };
        return true;
      }
      if (status === 409) return false;
      expect([502, 503]).toContain(status);
      await Bun.sleep(AGENT_PAUSE_MS);
    }
  }

  #send({ agent, mint, signedTransaction }: SignedClaim): Promise<Answer> {
    return this.#ask(() => agent.submitClaim(mint, signedTransaction));
  }

  /** Asks something that has to do with the chain, and looks through the answer. */
  async #ask(request: () => Promise<Answer>): Promise<Answer> {
    const started = performance.now();
    const answer = await request();
    this.#slowestMs = Math.max(this.#slowestMs, performance.now() - started);
    const { status, headers, body } = answer;
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    const text = JSON.stringify([body, [...headers]]);
    for (const secret of this.#secrets) expect(text).not.toContain(secret);
    const isHealth = typeof body === "object" && body !== null && "db" in body;
    if (status === 503 && !isHealth) expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
    return answer;
  }
}

/** Polls a launch as one of many clients: each request would slow down the others. */
async function ended(agent: Agent, eventId: string): Promise<LaunchStatus> {
  for (;;) {
    const launch = await agent.status(eventId);
    if (launch.status !== "pending") return launch;
    await Bun.sleep(AGENT_PAUSE_MS);
  }
}

/** Does something so many times at once. */
async function times(count: number, work: () => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: count }, work));
}
