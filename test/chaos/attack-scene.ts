import { expect } from "bun:test";
import { Connection } from "@solana/web3.js";
import { ClaimListSchema } from "@tokenctl/shared/contract/claim";
import { Agent, type Answer, expectShape } from "../support/agent.ts";
import { startTestServer, type TestServer } from "../support/test-server.ts";
import { figures } from "./scale.ts";

const DAY_MS = 86_400_000;

/** The secret with which the attacked server signs bearer tokens. */
export const JWT_SECRET = "the very secret with which this server signs";

/** What no attack may change. */
interface Untouched {
  readonly transactions: number;
  /** How often the server came a step closer to sending a transaction. */
  readonly steps: number;
  readonly claims: unknown;
}

/** A server with a victim, who has tokens, fees and launches, and an attacker with one token. */
export class AttackScene implements AsyncDisposable {
  readonly server: TestServer;
  readonly victim: Agent;
  readonly attacker: Agent;
  /** The victim's two tokens. */
  readonly mints: readonly [string, string];
  /** Two of the victim's launches. */
  readonly eventIds: { readonly success: string; readonly limited: string };
  /** The attacker's token. */
  readonly ownMint: string;
  readonly #read: () => Promise<Untouched>;
  readonly #before: Untouched;
  #refused = 0;

  private constructor(
    parts: Pick<AttackScene, "server" | "victim" | "attacker" | "mints" | "eventIds" | "ownMint">,
    read: () => Promise<Untouched>,
    before: Untouched,
  ) {
    this.server = parts.server;
    this.victim = parts.victim;
    this.attacker = parts.attacker;
    this.mints = parts.mints;
    this.eventIds = parts.eventIds;
    this.ownMint = parts.ownMint;
    this.#read = read;
    this.#before = before;
  }

  static async open(): Promise<AttackScene> {
    let steps = 0;
    const env = { JWT_SECRET, TICKER_HOLD_HOURS: "48" };
    const server = await startTestServer(env, { crashPoint: () => void steps++ });
    const victim = await Agent.signedIn(server);
    const attacker = await Agent.signedIn(server);
    const first = await victim.launched("VICTIM1");
    const limited = await victim.launched("LIMITED");
    server.clock.advance(DAY_MS);
    await Promise.all([victim.signIn(), attacker.signIn()]);
    const second = await victim.launched("VICTIM2");
    const ownMint = (await attacker.launched("ATTACKER")).tokenMint ?? "";
    const mints = [first.tokenMint ?? "", second.tokenMint ?? ""] as const;
    const eventIds = { success: first.eventId, limited: limited.eventId };
    for (const agent of [victim, attacker]) await agent.post("/dev/airdrop", { sol: 1 });
    for (const tokenMint of [...mints, ownMint]) {
      await victim.post("/dev/trade", { tokenMint, side: "buy", sol: 1 });
    }
    const read = async () => {
      const chain = new Connection(`${server.url}/dev/rpc`, "confirmed");
      const { body } = await victim.get("/api/v1/tokens/claims");
      return {
        transactions: await chain.getTransactionCount(),
        steps,
        claims: expectShape(ClaimListSchema, body).claims,
      };
    };
    const parts = { server, victim, attacker, mints, eventIds, ownMint };
    return new AttackScene(parts, read, await read());
  }

  /** Expects an attempt to be refused with this status and, if given, this text. */
  expectRefused({ status, body }: Answer, wanted: number, error?: string): void {
    expect(status).toBe(wanted);
    if (error !== undefined) expect((body as { error: string }).error).toBe(error);
    this.#refused += 1;
  }

  /** Expects that no attempt so far has changed anything. */
  async expectUntouched(): Promise<void> {
    expect(await this.#read()).toEqual(this.#before);
  }

  /** Prints how many attempts were refused. */
  async printFigures(attacks: string): Promise<void> {
    const { transactions } = await this.#read();
    const reachedTheChain = transactions - this.#before.transactions;
    figures(`attacks on ${attacks}`, { refused: this.#refused, reachedTheChain });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }
}
