import { tokenOf, walletOf } from "./agents.ts";
import { ask, expectAnswer } from "./answers.ts";
import type { Running } from "./contestant.ts";

/** Launches a token of one agent, which has launched none before. @returns the launch's id */
export async function launchOf(server: Running, agent: number): Promise<string> {
  const token = await tokenOf(walletOf(agent));
  const json = { name: `Agent Coin ${agent}`, ticker: `W${agent}` };
  const answer = await ask(server, "/api/v1/tokens/launch", { token, json });
  expectAnswer(server, answer, 200);
  return String(answer.body.eventId);
}

/** @throws {Error} unless the launch of this wallet is answered as one that is on chain */
export async function expectLaunched(
  server: Running,
  wallet: string,
  eventId: string,
): Promise<void> {
  const path = `/api/v1/tokens/launch/status/${eventId}`;
  const { status, body } = await ask(server, path, { token: await tokenOf(wallet) });
  if (status !== 200 || body.status !== "success" || typeof body.tokenMint !== "string") {
    throw new Error(`a launch that is on chain is answered with ${JSON.stringify(body)}`);
  }
}
