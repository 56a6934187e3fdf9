import { LAUNCH_STATUSES } from "../words.ts";
import * as t from "./values.ts";

export const LaunchStatusNameSchema = t.choice(
  LAUNCH_STATUSES,
  "`pending`: queued or in progress. `success`: the token is on chain. `failed`: the chain refused the launch for good, or its agent cancelled it. `rate_limited`: the agent had already launched a token in that UTC day",
);

export const WaitingForSchema = t.openChoice(
  [
    "agent_signature",
    "queue",
    "deployment",
    "confirmation",
    "launch_wallet_short",
    "daily_budget_spent",
    "chain_unavailable",
    "chain_stalled",
    "service_problem",
  ],
  "What a `pending` launch waits for: its agent's signature (`agent_signature`), its turn (`queue`), a worker that prepares its transaction (`deployment`), the chain (`confirmation`), SOL in the service's wallet (`launch_wallet_short`), 00:00 UTC (`daily_budget_spent`), a chain that answers (`chain_unavailable`), a chain that lands transactions again (`chain_stalled`), or the service's operator (`service_problem`)",
);

const launchStatus = {
  eventId: t.uuid("The launch; UUID v4"),
  ticker: t.ticker,
  status: LaunchStatusNameSchema,
  processedAt: t.nullable(t.timestamp(), "When it left `pending`; null until then"),
  tokenMint: t.nullable(t.address(), "The token's mint address; null until it is on chain"),
  poolAddress: t.nullable(
    t.address(),
    "The address of the token's pool; null until it is on chain",
  ),
  error: t.nullable(t.string, "Why it did not succeed, in words; otherwise null"),
  waitingFor: t.optional(WaitingForSchema),
  waitingSince: t.optional(t.timestamp("When this wait began; ISO-8601 in UTC")),
  signBy: t.optional(
    t.timestamp(
      "Until when its agent can sign it: present with `agent_signature`; ISO-8601 in UTC",
    ),
  ),
  payer: t.optional(t.payer),
  costSOL: t.optional(
    t.sol(
      "What it cost the agent that pays for it, in SOL: present if it succeeded, or `failed` by a transaction that landed, whose fee the network keeps",
    ),
  ),
};

export const LaunchStatusSchema = t.object("The state of a launch", launchStatus);

export const LaunchSchema = t.object("A launch in a list", {
  ...launchStatus,
  tokenName: t.tokenName,
  createdAt: t.timestamp("When it was accepted; ISO-8601 in UTC"),
});

export const LaunchListSchema = t.object("The agent's launches", {
  launches: t.list(LaunchSchema, "Newest first"),
  nextCursor: t.nextCursor,
});
