import type { LaunchStatus } from "@tokenctl/sdk";

const REASONS: Readonly<Record<string, string>> = {
  agent_signature:
    "Waiting for the wallet's signature, which pays for it; without one it ends by itself",
  queue: "Waiting for its turn",
  deployment: "The transaction is being signed",
  confirmation: "Waiting for the chain to confirm it",
  launch_wallet_short: "Waiting: the service's wallet needs SOL",
  daily_budget_spent: "Waiting until 00:00 UTC: the service has spent its SOL for the day",
  chain_unavailable: "Waiting: the Solana cluster cannot be reached",
  chain_stalled: "Waiting: the Solana cluster confirms no transactions at present",
  service_problem: "Waiting for the service's operator",
};

/** Returns why a pending launch waits, and its place in the queue. */
export function waitingText({ waitingFor, queuePlace }: LaunchStatus): string {
  const reason = REASONS[waitingFor ?? "queue"] ?? "Waiting";
  return queuePlace === undefined ? reason : `${reason} (place ${queuePlace})`;
}

/** Returns why a launch ended without a token. */
export const reasonOf = ({ status, error }: Pick<LaunchStatus, "status" | "error">) =>
  error ?? (status === "rate_limited" ? ONE_A_DAY : "the service gave no reason");

export const ONE_A_DAY = "one token a day";

export const STEPS = ["Accepted", "Signing", "Confirming", "On chain"] as const;

/** Returns the index in {@link STEPS} of the step that a launch has reached. */
export function stepOf({
  status,
  waitingFor,
}: Pick<LaunchStatus, "status" | "waitingFor">): number {
  if (status === "success") return 3;
  if (waitingFor === "confirmation" || waitingFor === "chain_stalled") return 2;
  return waitingFor === "deployment" ? 1 : 0;
}
