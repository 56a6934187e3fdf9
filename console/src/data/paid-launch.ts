import type { AgentLaunchOptions, LaunchCheck, LaunchRequest } from "@tokenctl/sdk";
import { confirmSigning } from "./confirm.ts";

/** A launch that was sent from this page, and what the check said of its payment. */
export interface SentLaunch {
  readonly request: LaunchRequest;
  readonly payment: LaunchCheck["payment"];
}

/** SOL that it may cost beside what the check said: the rent that the page reckons with is the highest. */
const MARGIN_SOL = 0.1;

/** @returns how a launch is signed that the wallet pays for: once its person has read what it does */
export function signingOf({ request, payment }: SentLaunch): AgentLaunchOptions {
  const { payer, ticker } = request;
  if (payer !== "agent") return {};
  return {
    // The page reads no node: it believes the service which config it is, and what that takes.
    expectedConfig: payment?.config ?? undefined,
    maxCostSOL: payment ? payment.costSOL.total + MARGIN_SOL : undefined,
    approve: ({ costSOL: cost }, _, transaction) =>
      confirmSigning({ kind: "launch", ticker, cost, transaction }),
  };
}

const KEPT = "sent-launches";
const MOST_KEPT = 20;

/** The launches that were sent from this browser, by their ids: a page that is loaded again signs them too. */
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
