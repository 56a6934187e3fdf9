import type { LaunchStatus } from "@tokenctl/sdk";

const REASONS: Readonly<Record<string, string>> = {
  queue: "waits for its turn",
  deployment: "is being prepared",
  confirmation: "waits for the chain to confirm it",
  launch_wallet_short: "waits: the service's wallet needs SOL",
  daily_budget_spent: "waits until 00:00 UTC: the service has spent its SOL for the day",
  chain_unavailable: "waits: the Solana cluster cannot be reached",
  chain_stalled: "waits: the Solana cluster confirms no transactions at present",
  service_problem: "waits for the service's operator",
};

/** @returns why a pending launch waits, and its place */
export function waitingText({ waitingFor, queuePlace }: LaunchStatus): string {
  const reason = REASONS[waitingFor ?? "queue"] ?? "waits";
  return queuePlace === undefined ? reason : `${reason} (place ${queuePlace})`;
}
