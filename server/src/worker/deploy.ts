import type { AttemptJournal, LaunchAttempt } from "../launchpad/attempt-journal.ts";
import type { DeployedToken, Launchpad } from "../launchpad/launchpad.ts";
import type { LaunchRow } from "../store/launch-row.ts";
import type { WorkerContext } from "./context.ts";
import type { Lease } from "./lease.ts";
import { LeaseLostError } from "./lease-lost.ts";
import { AlreadyLaunchedTodayError } from "./limit.ts";
import { ShareUsedError } from "./share-used.ts";

/**
 * Puts a leased launch on chain. Sets aside what it may cost, and stores each signed attempt before it
 * is sent.
 *
 * @throws what the launchpad throws
 * @throws {AlreadyLaunchedTodayError} if the agent got a token of this UTC day meanwhile
 * @throws {ShareUsedError} if launches of its network have taken their share of the day's budget
 * @throws {LeaseLostError} if another worker has taken the launch
 */
export function deploy(
  { id, launch }: Lease,
  { store, shares }: Pick<WorkerContext, "store" | "shares">,
  launchpad: Launchpad,
  signal: AbortSignal,
): Promise<DeployedToken> {
  const { eventId } = launch;
  const journal: AttemptJournal = {
    latest: latestAttempt(launch),
    async reserve(cost) {
      const outcome = await store.reserve(eventId, id, cost, shares);
      if (outcome.kind === "lease_lost") throw new LeaseLostError();
      if (outcome.kind === "share_used") throw new ShareUsedError();
      return outcome;
    },
    settle: (spent) => store.settle(eventId, id, spent),
    async record(attempt) {
      const outcome = await store.recordAttempt(eventId, id, attempt);
      if (outcome === "lease_lost") throw new LeaseLostError();
      if (outcome === "recorded") return;
      // Midnight may have passed since the lease, and a clock that steps back may return to a day in
      // which the agent has launched.
      await store.settle(eventId, id, 0n);
      throw new AlreadyLaunchedTodayError();
    },
  };
  return launchpad.deploy(launch, journal, signal);
}

function latestAttempt(launch: LaunchRow): LaunchAttempt | null {
  const { signature, transaction, lastValidBlockHeight, tokenMint, poolAddress } = launch;
  if (
    signature === null ||
    transaction === null ||
    lastValidBlockHeight === null ||
    tokenMint === null ||
    poolAddress === null
  ) {
    return null;
  }
  return { signature, transaction, lastValidBlockHeight, tokenMint, poolAddress };
}
