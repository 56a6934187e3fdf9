import { LAMPORTS_PER_SOL, limits } from "@tokenctl/shared/limits";
import { lamportsToSol, parseUnits } from "@tokenctl/shared/sol";
import type { LaunchCost, LaunchRequest, LaunchStatus } from "@tokenctl/shared/types";
import type { LaunchPayer } from "@tokenctl/shared/words";
import type { LaunchOrder, LaunchWait, Trouble } from "../../domain/launch.ts";
import { parseSolAmount, validationError } from "../../http/body.ts";
import type { LaunchPrice } from "../../launchpad/signing/paid-launch.ts";
import type { LaunchSummary } from "../../store/launch-row.ts";

export function toStatus(launch: LaunchSummary, trouble: Trouble | null): LaunchStatus {
  const deployed = launch.status === "success";
  return {
    eventId: launch.eventId,
    ticker: launch.ticker,
    status: launch.status,
    processedAt: launch.processedAt === null ? null : new Date(launch.processedAt).toISOString(),
    tokenMint: deployed ? launch.tokenMint : null,
    poolAddress: deployed ? launch.poolAddress : null,
    error: launch.error,
    ...(launch.payer && { payer: launch.payer }),
    ...(launch.status !== "pending" &&
      launch.agentLamports !== null && { costSOL: lamportsToSol(launch.agentLamports) }),
    ...(launch.wait && toWaiting(launch.wait, launch.createdAt, trouble)),
  };
}

/** What waits for the chain, or behind what does, waits for the end of a stall. */
const STALLED: ReadonlySet<string> = new Set(["queue", "confirmation", "chain_unavailable"]);

function toWaiting(
  wait: LaunchWait,
  createdAt: number,
  trouble: Trouble | null,
): Pick<LaunchStatus, "waitingFor" | "waitingSince" | "queuePlace"> {
  if (trouble?.reason === "chain_stalled" && STALLED.has(wait.reason)) {
    // Each attempt that expires begins another wait for a confirmation.
    const since = Math.max(createdAt, trouble.since);
    return { waitingFor: trouble.reason, waitingSince: new Date(since).toISOString() };
  }
  if (wait.reason === "queue" && trouble !== null) {
    const since = Math.max(wait.since, trouble.since);
    return { waitingFor: trouble.reason, waitingSince: new Date(since).toISOString() };
  }
  return {
    waitingFor: wait.reason,
    waitingSince: new Date(wait.since).toISOString(),
    ...(wait.place !== null && { queuePlace: wait.place }),
  };
}

const MAX_FIRST_BUY = BigInt(limits.firstBuySOL.max) * LAMPORTS_PER_SOL;

export type Payment = Pick<LaunchOrder, "payer" | "firstBuy">;

/** @throws {ServiceError} 400 if the payer is not one of those, or does not buy */
export function readPayment(
  request: Pick<LaunchRequest, "payer" | "firstBuySOL" | "firstBuyMinTokens">,
  payers: readonly LaunchPayer[],
): Payment {
  // A client that names none may not know that agents can pay, and then signs nothing.
  const { payer = "operator", firstBuySOL, firstBuyMinTokens = "0" } = request;
  if (!payers.includes(payer)) {
    const message = `must be ${payers.join(" or ")} at this service`;
    throw validationError([{ field: "payer", message }]);
  }
  if (firstBuySOL === undefined) return payer === "agent" ? { payer, firstBuy: null } : {};
  if (payer !== "agent") {
    throw validationError([
      { field: "firstBuySOL", message: "needs `payer`: `agent`, as the agent pays for it" },
    ]);
  }
  const lamports = parseSolAmount("firstBuySOL", firstBuySOL, MAX_FIRST_BUY);
  return { payer, firstBuy: { lamports, minUnits: parseUnits(firstBuyMinTokens) } };
}

export function costToWire({ rent, networkFee, creationFee, firstBuy }: LaunchPrice): LaunchCost {
  return {
    total: lamportsToSol(rent + networkFee + creationFee + firstBuy),
    rent: lamportsToSol(rent),
    networkFee: lamportsToSol(networkFee),
    creationFee: lamportsToSol(creationFee),
    firstBuy: lamportsToSol(firstBuy),
  };
}
