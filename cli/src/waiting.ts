import type { LaunchStatus, WaitingFor } from "@tokenctl/sdk";

const TEXTS: Readonly<Record<WaitingFor, string>> = {
  agent_signature: "your signature",
  queue: "its turn",
  deployment: "its transaction to be built",
  confirmation: "the chain to confirm it",
  launch_wallet_short: "SOL in the server's launch wallet",
  daily_budget_spent: "00:00 UTC, because the server's budget for today is spent",
  chain_unavailable: "the chain, which the server cannot reach",
  chain_stalled: "the chain, which currently confirms no transactions",
  service_problem: "the server's operator",
};

/** Returns what a launch waits for, for example `its turn (place 3)`; null if unknown. */
export function waitingText({ waitingFor, queuePlace }: LaunchStatus): string | null {
  if (waitingFor === undefined) return null;
  // A newer server may know other reasons.
  const text = Object.hasOwn(TEXTS, waitingFor) ? TEXTS[waitingFor] : waitingFor;
  return queuePlace === undefined ? text : `${text} (place ${queuePlace})`;
}

/** Formats a duration, for example `45 s`, `2 min 5 s` or `3 h 20 min`. */
export function elapsedText(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Formats a wait such as `in 30 s`, `in 12 min` or `in 5 h`, rounded up so that it suffices. */
export function waitText(seconds: number): string {
  if (seconds <= 90) return `in ${Math.ceil(seconds)} s`;
  if (seconds <= 90 * 60) return `in ${Math.ceil(seconds / 60)} min`;
  return `in ${Math.ceil(seconds / 3600)} h`;
}
