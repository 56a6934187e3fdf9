import type { AgentLaunchOptions, LaunchCheck, LaunchRequest } from "@tokenctl/sdk";
import { confirmSigning } from "./confirm.ts";

/** A launch that this page has sent, and the payment that the check showed. */
export interface SentLaunch {
  readonly request: LaunchRequest;
  readonly payment: LaunchCheck["payment"];
}

/** SOL allowed beyond the check's cost: without a node, the SDK reckons with the maximum rent. */
const MARGIN_SOL = 0.1;

/** Returns the options to sign a launch that the wallet pays for, once its person confirms it. */
export function signingOf({ request, payment }: SentLaunch): AgentLaunchOptions {
  const { payer, ticker } = request;
  if (payer !== "agent") return {};
  return {
    // The page reads no node, so it trusts the service about the config and its cost.
    expectedConfig: payment?.config ?? undefined,
    maxCostSOL: payment ? payment.costSOL.total + MARGIN_SOL : undefined,
    approve: ({ costSOL: cost }, _, transaction) =>
      confirmSigning({ kind: "launch", ticker, cost, transaction }),
  };
}

const KEPT = "sent-launches";
const MOST_KEPT = 20;

/** Launches sent from this browser, by event id, so that a reloaded page can also sign them. */
export const sentLaunches = {
  get: (eventId: string): SentLaunch | undefined => new Map(readKept()).get(eventId),
  set(eventId: string, sent: SentLaunch): void {
    const others = readKept().filter(([id]) => id !== eventId);
    localStorage.setItem(KEPT, JSON.stringify([...others, [eventId, sent]].slice(-MOST_KEPT)));
  },
};

function readKept(): [string, SentLaunch][] {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(kept) ? kept : [];
  } catch {
    return [];
  }
}
