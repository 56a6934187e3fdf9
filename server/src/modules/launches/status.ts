import { lamportsToSol } from "@tokenctl/shared/sol";
import type { LaunchStatus } from "@tokenctl/shared/types";
import type { LaunchWait, Trouble } from "../../domain/launch.ts";
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
    ...(launch.wait?.reason === "agent_signature" &&
      launch.signBy !== null && { signBy: new Date(launch.signBy).toISOString() }),
    ...(launch.wait && toWaiting(launch.wait, launch.createdAt, trouble)),
  };
}

/** Launches that wait for these wait for the end of a stall while the chain is stalled. */
const STALLED: ReadonlySet<string> = new Set(["queue", "confirmation", "chain_unavailable"]);

function toWaiting(
  wait: LaunchWait,
  createdAt: number,
  trouble: Trouble | null,
): Pick<LaunchStatus, "waitingFor" | "waitingSince"> {
  const isStalled = trouble?.reason === "chain_stalled" && STALLED.has(wait.reason);
  // While it stalls each expired attempt starts a new wait for confirmation.
  const since = isStalled ? createdAt : wait.since;
  const isCommon = trouble !== null && (isStalled || wait.reason === "queue");
  return {
    waitingFor: isCommon ? trouble.reason : wait.reason,
    waitingSince: new Date(isCommon ? Math.max(since, trouble.since) : since).toISOString(),
  };
}
