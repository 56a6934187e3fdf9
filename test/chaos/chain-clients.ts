import { expect } from "bun:test";
import type { LaunchStatus } from "@tokenctl/shared/types";
import { type Agent, type Answer, send } from "../support/agent.ts";
import {
  type AcceptedLaunch,
  type AgentActivity,
  answered,
  launch,
  type SignedClaim,
  sign,
} from "./agent-activity.ts";
import { scale } from "./scale.ts";

/** Milliseconds between an agent's requests; in the long form there are hundreds of agents. */
export const AGENT_PAUSE_MS = scale(250, 2_000);

/** An agent whose token has earned fees. */
export interface Earner {
  readonly agent: Agent;
  readonly mint: string;
}

/** Agents that launch and claim at a server whose RPC may misbehave, and check every answer. */
export class ChainClients {
  readonly #server: { readonly url: string };
  readonly #activity: AgentActivity;
  readonly #secrets: readonly string[];
  readonly #statuses: Record<number, number> = {};
  #slowestMs = 0;

  /** @param secrets texts that no answer may contain */
  constructor(
    server: { readonly url: string },
    activity: AgentActivity,
    secrets: readonly string[],
  ) {
    this.#server = server;
    this.#activity = activity;
    this.#secrets = secrets;
  }

  get answers() {
    return {
      statuses: this.#statuses,
      slowestSeconds: Math.round(this.#slowestMs / 100) / 10,
    };
  }

  launch(): Promise<AcceptedLaunch> {
    return launch(this.#server, this.#activity);
  }

  /** @returns the status of `/health` */
  async health(): Promise<number> {
    return (await this.#ask(() => send(this.#server.url, "GET", "/health"))).status;
  }

  async readFees(agent: Agent): Promise<void> {
    const { status } = await this.#ask(() => agent.get("/api/v1/tokens/claims"));
    expect([200, 503]).toContain(status);
  }

  /** @returns null if the service cannot build a claim now */
  async prepareClaim({ agent, mint }: Earner): Promise<SignedClaim | null> {
    await agent.signIn();
    const { status, body } = await this.#ask(() => agent.post(`/api/v1/tokens/claims/${mint}`));
    if (status !== 200) {
      expect([502, 503]).toContain(status);
      return null;
    }
    return sign(this.#activity, { agent, mint }, body);
  }

  /** Claims until it is paid, as a patient client does. */
  async claimUntilPaid(earner: Earner, first: SignedClaim | null): Promise<void> {
    let claim = first;
    while (!claim || !(await this.#submit(claim))) {
      await Bun.sleep(AGENT_PAUSE_MS);
      claim = await this.prepareClaim(earner);
    }
  }

  /** Sends a claim once, as a client does that ignores the answer. */
  async claimOnce(claim: SignedClaim | null): Promise<void> {
    if (!claim) return;
    const { status } = await this.#send(claim);
    expect([200, 409, 502, 503]).toContain(status);
  }

  /** Sends a claim until its outcome is known. @returns false if it expired */
  async #submit(claim: SignedClaim): Promise<boolean> {
    for (;;) {
      const { status, body } = await this.#send(claim);
      if (status === 200) {
        answered(claim, body);
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

/** Polls a launch slowly, because many clients poll at once. */
export async function untilEnded({ agent, eventId }: AcceptedLaunch): Promise<LaunchStatus> {
  for (;;) {
    const launch = await agent.status(eventId);
    if (launch.status !== "pending") return launch;
    await Bun.sleep(AGENT_PAUSE_MS);
  }
}
