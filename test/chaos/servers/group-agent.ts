import { expect } from "bun:test";
import { LaunchStatusSchema } from "@tokenctl/shared/contract/launch-status";
import type { LaunchStatus } from "@tokenctl/shared/types";
import { Agent, type Answer, expectShape } from "../../support/agent.ts";
import {
  type AgentActivity,
  accepted,
  answered,
  isConnectionLoss,
  type SignedClaim,
  sign,
} from "../agent-activity.ts";
import { scale } from "../scale.ts";
import type { SeededRandom } from "./seeded-random.ts";

/** Milliseconds between two requests of an agent that waits or has failed; in the long form there are hundreds. */
export const PAUSE_MS = scale(100, 1_000);
/** How long an agent tries before the experiment counts it as locked out, in milliseconds. */
const PATIENCE_MS = scale(120_000, 600_000);

/** The servers of an experiment: any of them answers any agent. */
interface Servers {
  server(index: number): { readonly url: string };
  any(random: SeededRandom): { readonly url: string };
  /** Checks each answer. @throws {Error} if it is one that no trouble explains */
  readonly onAnswer?: (answer: Answer) => void;
}

/** An agent that sends each request to any server of a group, until one answers. */
export class GroupAgent {
  readonly agent: Agent;
  readonly #group: Servers;
  readonly #activity: AgentActivity;
  readonly #random: SeededRandom;

  constructor(
    group: Servers,
    activity: AgentActivity,
    random: SeededRandom,
    agent = new Agent(group.server(0)),
  ) {
    this.agent = agent;
    this.#group = group;
    this.#activity = activity;
    this.#random = random;
  }

  async signIn(): Promise<void> {
    const agent = this.agent;
    await this.#until(async () => {
      agent.token = "";
      const challenge = await this.#ask(() =>
        agent.post("/api/auth/challenge", { wallet: agent.wallet }),
      );
      const { nonce } = challenge.body as { nonce: string };
      const { status, body } = await this.#ask(() => agent.verify(nonce));
      // A verify whose answer was lost has used the nonce up.
      if (status === 401) return null;
      expect(status).toBe(200);
      agent.token = (body as { token: string }).token;
      return true;
    });
  }

  /** Launches under an Idempotency-Key, so that it may send the request again. */
  async launch(): Promise<string> {
    const agent = this.agent;
    const ticker = this.#activity.nextTicker();
    const { status, body } = await this.#signedIn(() =>
      agent.post("/api/v1/tokens/launch", { name: ticker, ticker }, { "idempotency-key": "one" }),
    );
    if (status !== 200) throw new Error(`a launch was answered ${status} ${JSON.stringify(body)}`);
    return accepted(this.#activity, agent, body).eventId;
  }

  /** Waits until a launch has ended, whichever server answers. */
  untilEnded(eventId: string): Promise<LaunchStatus> {
    return this.#until(async () => {
      const { status, body } = await this.#signedIn(() =>
        this.agent.get(`/api/v1/tokens/launch/status/${eventId}`),
      );
      if (status !== 200) throw new Error(`an accepted launch was answered ${status}`);
      const launch = expectShape(LaunchStatusSchema, body);
      return launch.status === "pending" ? null : launch;
    }, `launch ${eventId} did not end`);
  }

  /** Reads what needs the chain, until it can be read. */
  async read(path: string): Promise<void> {
    expect((await this.#signedIn(() => this.agent.get(path))).status).toBe(200);
  }

  /** @returns a claim that is signed and not sent; null if there is nothing to claim */
  async prepareClaim(mint: string): Promise<SignedClaim | null> {
    const { agent } = this;
    const { status, body } = await this.#signedIn(() =>
      agent.post(`/api/v1/tokens/claims/${mint}`),
    );
    // An earlier claim took all fees.
    if (status === 409) return null;
    expect(status).toBe(200);
    return sign(this.#activity, { agent, mint }, body);
  }

  /** Claims a token's fees until they are paid; each claim is submitted at two servers at once. */
  async claim(mint: string, first?: SignedClaim | null): Promise<void> {
    let claim = first ?? (await this.prepareClaim(mint));
    while (claim && !(await this.#until(() => this.#submitTwice(claim as SignedClaim)))) {
      claim = await this.prepareClaim(mint);
    }
  }

  /** Sends a claim once, as a client does that ignores the answer. */
  async claimOnce({ agent, mint, signedTransaction }: SignedClaim): Promise<void> {
    await this.#answerOf(() => agent.submitClaim(mint, signedTransaction));
  }

  /** @returns whether it was paid; null if no server knows that yet */
  async #submitTwice(claim: SignedClaim): Promise<boolean | null> {
    const { agent, mint, signedTransaction } = claim;
    const first = this.#random.below(3);
    const outcomes = await Promise.all(
      [first, first + 1].map(async (index) => {
        const other = new Agent(this.#group.server(index), agent.keypair);
        other.token = agent.token;
        return this.#answerOf(() => other.submitClaim(mint, signedTransaction));
      }),
    );
    if (outcomes.some((answer) => answer?.status === 401)) await this.signIn();
    let isFinal = false;
    for (const answer of outcomes) {
      if (answer?.status === 409) isFinal = true;
      if (answer?.status === 200) answered(claim, answer.body);
    }
    if (claim.answer) return true;
    // Expired: the agent asks for another.
    return isFinal ? false : null;
  }

  /** Sends a request, and signs in if the token has expired. */
  #signedIn(request: () => Promise<Answer>): Promise<Answer> {
    return this.#until(async () => {
      const answer = await this.#ask(request);
      if (answer.status !== 401) return answer;
      await this.signIn();
      return null;
    });
  }

  /** Sends a request to any server until one gives an answer below 500. */
  #ask(request: () => Promise<Answer>): Promise<Answer> {
    return this.#until(async () => {
      this.agent.server = this.#group.any(this.#random);
      return this.#answerOf(request);
    });
  }

  /** Repeats a step until it returns something. */
  async #until<T>(step: () => Promise<T | null>, problem = "no server answered"): Promise<T> {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const result = await step();
      if (result !== null) return result;
      if (performance.now() > deadline) throw new Error(`${problem} in time`);
      await Bun.sleep(PAUSE_MS);
    }
  }

  /** @returns the answer; null if there was none, or one of 5xx */
  async #answerOf(request: () => Promise<Answer>): Promise<Answer | null> {
    try {
      const answer = await request();
      this.#group.onAnswer?.(answer);
      return answer.status < 500 ? answer : null;
    } catch (error) {
      if (isConnectionLoss(error)) return null;
      throw error;
    }
  }
}
