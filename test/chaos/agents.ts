import { expect } from "bun:test";
import { ClaimReceiptSchema, LaunchAcceptedSchema } from "@tokenctl/shared/response-schemas";
import { Agent, expectShape } from "../support/agent.ts";

/** A launch that was answered with 200: from then on it must not be lost. */
export interface AcceptedLaunch {
  readonly agent: Agent;
  readonly eventId: string;
}

/** A claim that its agent signed; it may have been answered, or cut off, or never sent. */
export interface SignedClaim {
  readonly agent: Agent;
  readonly mint: string;
  readonly signedTransaction: string;
  /** What was answered; null while no answer came. */
  answer: { transactionHash: string; claimedSOL: number } | null;
}

/** What the agents of an experiment were promised. */
export class Ledger {
  readonly launches: AcceptedLaunch[] = [];
  readonly claims: SignedClaim[] = [];
  /** What went wrong in a way that a dying server does not explain. */
  readonly surprises: unknown[] = [];
  #tickers = 0;

  nextTicker(): string {
    return `C${(this.#tickers++).toString(36).toUpperCase()}`;
  }

  /** Runs a part of the load; that the server dies in the middle of it is no surprise. */
  async bear(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isConnectionLoss(error)) this.surprises.push(error);
    }
  }
}

/** A new agent launches a token. */
export async function launch(server: { readonly url: string }, ledger: Ledger): Promise<void> {
  const agent = await Agent.signedIn(server);
  const { status, body } = await agent.launch({ ticker: ledger.nextTicker() });
  expect(status).toBe(200);
  ledger.launches.push({ agent, eventId: expectShape(LaunchAcceptedSchema, body).eventId });
}

/** An agent that has launched waits for its token, earns fees and claims them. */
export async function earnAndClaim(
  server: { readonly url: string },
  ledger: Ledger,
  { agent, eventId }: AcceptedLaunch,
  earn: (agent: Agent, mint: string) => Promise<void>,
): Promise<void> {
  agent.server = server;
  await agent.signIn();
  const { tokenMint } = await agent.settled(eventId);
  if (tokenMint === null) throw new Error(`launch ${eventId} has no token`);
  await earn(agent, tokenMint);
  const { transaction } = await agent.prepareClaim(tokenMint);
  const signedTransaction = agent.signClaim(transaction);
  const claim: SignedClaim = { agent, mint: tokenMint, signedTransaction, answer: null };
  ledger.claims.push(claim);
  await submit(server, claim);
}

/** Sends a signed claim, perhaps again. An answer, once given, stays the same. */
export async function submit(server: { readonly url: string }, claim: SignedClaim): Promise<void> {
  const { agent, mint, signedTransaction } = claim;
  agent.server = server;
  await agent.signIn();
  const { status, body } = await agent.submitClaim(mint, signedTransaction);
  if (status === 200) {
    const { transactionHash, claimedSOL } = expectShape(ClaimReceiptSchema, body);
    if (claim.answer) expect({ transactionHash, claimedSOL }).toEqual(claim.answer);
    claim.answer = { transactionHash, claimedSOL };
    return;
  }
  // Expired, or refused because an earlier claim took the fees, or the server is on its way down.
  expect([409, 502, 503]).toContain(status);
  expect(claim.answer).toBeNull();
}

function isConnectionLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? String(error.code) : "";
  return (
    /^(ConnectionRefused|ConnectionClosed|ECONN|UNKNOWN|FailedToOpenSocket|EPIPE)/.test(code) ||
    error instanceof SyntaxError
  );
}
