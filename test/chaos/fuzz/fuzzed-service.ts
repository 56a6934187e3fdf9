import { readFileSync } from "node:fs";
import { join } from "node:path";
import { signInMessage } from "@tokenctl/shared/sign-in";
import { Agent } from "../../support/agent.ts";
import { startTestServer, type TestServer } from "../../support/test-server.ts";
import { type FuzzRequest, mentions, type Values } from "./request.ts";

const TWENTY_MINUTES_MS = 20 * 60_000;

/** A service in use: two agents with a token each, launches that ended, fees to claim. */
export class FuzzedService implements AsyncDisposable {
  readonly server: TestServer;
  readonly #agent: Agent;
  #values: Record<string, string>;

  private constructor(server: TestServer, agent: Agent, values: Record<string, string>) {
    this.server = server;
    this.#agent = agent;
    this.#values = values;
  }

  static async open(): Promise<FuzzedService> {
    // The first launch is cancelled before the worker signs anything for it.
    const cancelled = Promise.withResolvers<void>();
    const crashPoint = (name: string) => (name === "launch.leased" ? cancelled.promise : undefined);
    const server = await startTestServer(
      {
        TRUST_PROXY: "true",
        RATE_LIMIT_AUTH_PER_MINUTE: "1000000",
        RATE_LIMIT_WALLET_PER_MINUTE: "1000000",
        RATE_LIMIT_AGENT_PER_MINUTE: "1000000",
        RATE_LIMIT_PUBLIC_PER_MINUTE: "1000000",
        // Launches are to reach the database, however many there are.
        MAX_LAUNCHES_PER_AGENT: "0",
      },
      { crashPoint },
    );
    const late = await Agent.signedIn(server);
    server.clock.advance(TWENTY_MINUTES_MS);
    const agent = await Agent.signedIn(server);
    const other = await Agent.signedIn(server);
    const { eventId: cancelledEventId } = (await agent.launch({ ticker: "GONE" })).body as {
      eventId: string;
    };
    await agent.post(`/api/v1/tokens/launch/${cancelledEventId}/cancel`);
    cancelled.resolve();
    const launch = await agent.launched("MINE");
    const limited = await agent.launched("LIMITED");
    const foreign = await other.launched("OTHER");
    const webhook = await webhookOf(agent);
    const world = new FuzzedService(server, agent, {
      token: agent.token,
      otherToken: other.token,
      expiredToken: late.token,
      wallet: agent.wallet,
      otherWallet: other.wallet,
      eventId: launch.eventId,
      mint: launch.tokenMint ?? "",
      pool: launch.poolAddress ?? "",
      limitedEventId: limited.eventId,
      cancelledEventId,
      otherEventId: foreign.eventId,
      webhook,
      spareWebhook: await webhookOf(agent, "spare"),
      otherWebhook: await webhookOf(other),
      otherMint: foreign.tokenMint ?? "",
    });
    // A wallet that cannot pay for its claim is answered 502.
    await agent.post("/dev/airdrop", { sol: 1 });
    await other.post("/dev/airdrop", { sol: 1 });
    await world.#newNonce();
    await world.#newClaim();
    return world;
  }

  get values(): Values {
    return this.#values;
  }

  /** @returns texts that no answer may contain */
  secrets(): readonly string[] {
    const { dataDir } = this.server.config;
    const files = ["jwt.secret", "mint.secret"].map((file) => readFileSync(join(dataDir, file)));
    return [
      dataDir,
      ...files.flatMap((bytes) => {
        const text = bytes.toString("utf8").trim();
        const raw = Buffer.from(text, "hex");
        return [text, raw.toString("base64"), raw.toString("base64url")];
      }),
    ];
  }

  /** Replaces the nonce or the claim that a request used up. */
  async renewAfter(request: FuzzRequest, status: number): Promise<void> {
    if (mentions(request, "nonce")) await this.#newNonce();
    if (status === 200 && mentions(request, "signedTransaction")) await this.#newClaim();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }

  async #newNonce(): Promise<void> {
    const nonce = await this.#agent.nonce();
    this.#values = { ...this.#values, nonce, signature: this.#agent.sign(signInMessage(nonce)) };
  }

  /** Keeps the last claim if the pool has been bought out in between. */
  async #newClaim(): Promise<void> {
    const mint = this.#values.mint ?? "";
    await this.#agent.post("/dev/trade", { tokenMint: mint, side: "buy", sol: "0.01" });
    const { status, body } = await this.#agent.post(`/api/v1/tokens/claims/${mint}`);
    if (status !== 200) return;
    const { transaction } = body as { transaction: string };
    const signedTransaction = this.#agent.signClaim(transaction);
    this.#values = { ...this.#values, transaction, signedTransaction };
  }
}

/** @returns the id of a new webhook, whose receiver does not listen */
async function webhookOf(agent: Agent, path = ""): Promise<string> {
  const { body } = await agent.post("/api/v1/webhooks", { url: `http://127.0.0.1:9/${path}` });
  return (body as { id: string }).id;
}
