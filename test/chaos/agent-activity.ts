import { expect } from "bun:test";
import { ClaimReceiptSchema, PreparedClaimSchema } from "@tokenctl/shared/contract/claim";
import { LaunchAcceptedSchema } from "@tokenctl/shared/contract/launch";
import { generateKeypair } from "../../server/src/base/native-keys.ts";
import { Agent, expectShape } from "../support/agent.ts";

/** A launch that was answered with 200, and must not be lost from then on. */
export interface AcceptedLaunch {
  readonly agent: Agent;
  readonly eventId: string;
}

/** A claim that its agent signed; it may be answered, cut off or never sent. */
export interface SignedClaim {
  readonly agent: Agent;
  readonly mint: string;
  readonly tokenMints?: readonly string[];
  /** Whom it pays, if not its agent: wallets of this claim alone. */
  readonly receivers?: readonly string[];
  readonly signedTransaction: string;
  /** Null until an answer came. */
  answer: { transactionHash: string; claimedSOL: number } | null;
  hasExpired?: boolean;
}

/** What the agents of an experiment launched and signed, and what they were answered. */
export class AgentActivity {
  readonly launches: AcceptedLaunch[] = [];
  readonly claims: SignedClaim[] = [];
  /** Errors that a killed server does not explain. */
  readonly unexpectedErrors: unknown[] = [];
  #tickers = 0;

  nextTicker(): string {
    return `C${(this.#tickers++).toString(36).toUpperCase()}`;
  }

  /** Does a part of the load; the server may be killed in the middle of it. */
  async run(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isConnectionLoss(error)) this.unexpectedErrors.push(error);
    }
  }
}

export async function launch(
  server: { readonly url: string },
  activity: AgentActivity,
): Promise<AcceptedLaunch> {
  const agent = await Agent.signedIn(server);
  const { status, body } = await agent.launch({ ticker: activity.nextTicker() });
  expect(status).toBe(200);
  return accepted(activity, agent, body);
}

export function accepted(activity: AgentActivity, agent: Agent, body: unknown): AcceptedLaunch {
  const launch = { agent, eventId: expectShape(LaunchAcceptedSchema, body).eventId };
  activity.launches.push(launch);
  return launch;
}

/** Signs a claim that was handed out. */
export function sign(
  activity: AgentActivity,
  { agent, mint, receivers }: Pick<SignedClaim, "agent" | "mint" | "receivers">,
  body: unknown,
): SignedClaim {
  const signedTransaction = agent.signClaim(expectShape(PreparedClaimSchema, body).transaction);
  const claim = { agent, mint, receivers: receivers ?? [], signedTransaction, answer: null };
  activity.claims.push(claim);
  return claim;
}

/** Every answer must be the first one. */
export function answered(claim: SignedClaim, body: unknown): void {
  const answer = answerIn(body);
  if (claim.answer) expect(answer).toEqual(claim.answer);
  claim.answer = answer;
}

export function answerIn(body: unknown): NonNullable<SignedClaim["answer"]> {
  const { transactionHash, claimedSOL } = expectShape(ClaimReceiptSchema, body);
  return { transactionHash, claimedSOL };
}

export async function earnAndClaim(
  server: { readonly url: string },
  activity: AgentActivity,
  { agent, eventId }: AcceptedLaunch,
  earn: (agent: Agent, mint: string) => Promise<void>,
): Promise<void> {
  agent.server = server;
  await agent.signIn();
  const { tokenMint } = await agent.untilEnded(eventId);
  if (tokenMint === null) throw new Error(`launch ${eventId} has no token`);
  await earn(agent, tokenMint);
  const receivers = activity.claims.length % 2 === 0 ? [] : newReceivers();
  const named = receivers.length > 0 ? { receivers } : undefined;
  const prepared = await agent.post(`/api/v1/tokens/claims/${tokenMint}`, named);
  if (prepared.status === 409) {
    // A claim of an earlier run was sent again in between, and has taken these fees too.
    expect(prepared.body).toMatchObject({ code: "no_fees_to_claim" });
    expect(activity.claims.some((claim) => claim.agent === agent)).toBe(true);
    return;
  }
  expect(prepared.status).toBe(200);
  const paid = receivers.map(({ address }) => address);
  await submit(server, sign(activity, { agent, mint: tokenMint, receivers: paid }, prepared.body));
}

/** @returns two new wallets to pay */
function newReceivers() {
  return [70, 30].map((share) => ({ address: generateKeypair().publicKey.toBase58(), share }));
}

/** Sends a signed claim, perhaps again. */
export async function submit(server: { readonly url: string }, claim: SignedClaim): Promise<void> {
  const { agent, mint, signedTransaction } = claim;
  agent.server = server;
  await agent.signIn();
  const { status, body } = await agent.submitClaim(mint, signedTransaction);
  if (status === 200) return answered(claim, body);
  expect(claim.answer).toBeNull();
  // An expired one is forgotten after a minute.
  if (status === 400 && claim.hasExpired) return;
  // It expired, an earlier claim took the fees, or the server is stopping.
  expect([409, 502, 503]).toContain(status);
  if ((body as { code?: unknown }).code === "claim_expired") claim.hasExpired = true;
}

/** Whether a request failed because its server was killed. */
export function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return (
    /^(ConnectionRefused|ConnectionClosed|ECONN|UNKNOWN|FailedToOpenSocket|EPIPE)/.test(code) ||
    error instanceof SyntaxError
  );
}
