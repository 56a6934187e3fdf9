import type { LaunchStatus, WaitingFor } from "./types.ts";

const WAITS_FOR: Readonly<Record<WaitingFor, string>> = {
  agent_signature: "your signature",
  queue: "its turn",
  deployment: "the service to sign its transaction",
  confirmation: "the chain to confirm it",
  launch_wallet_short: "SOL in the service's launch wallet",
  daily_budget_spent: "00:00 UTC, because the service's budget for today is spent",
  chain_unavailable: "the chain, which the service cannot reach",
  chain_stalled: "the chain, which currently confirms no transactions",
  service_problem: "the service's operator",
};

/** Returns what a launch waits for, for example `its turn`; null if it waits for nothing. */
export function waitingText({ waitingFor }: Pick<LaunchStatus, "waitingFor">): string | null {
  if (waitingFor === undefined) return null;
  // A newer service may know other reasons.
  const isKnown = Object.hasOwn(WAITS_FOR, waitingFor);
  return isKnown ? WAITS_FOR[waitingFor] : String(waitingFor).replaceAll("_", " ");
}
