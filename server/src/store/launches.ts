import type { LaunchCost, LaunchShares } from "../domain/day-budget.ts";
import {
  AlreadyLaunchedTodayError,
  type LaunchAttempt,
  type LaunchJournal,
  LeaseLostError,
  ShareUsedError,
} from "../domain/journal.ts";
import { LaunchIntake } from "./launch-intake.ts";
import type { LaunchRow } from "./launch-row.ts";
import { type ReserveOutcome, Spending, spentToday } from "./spending.ts";

/**
 * The launches and their queue. A change that names a lease does nothing if the lease does not hold
 * the launch. Leases and days run by the store's clock, not by the caller's.
 */
export class Launches extends LaunchIntake {
  readonly #spending = new Spending(this.db, "launches");

  /**
   * Sets lamports aside for the launch, in the UTC day that is now; replaces what was set aside for it
   * before. Atomic: launches side by side, on several servers too, cannot together exceed a limit that each
   * of them keeps.
   *
   * @param shares what part of the day's limit an address and a network may have; null for any
   */
  reserve(
    eventId: string,
    leaseId: string,
    cost: LaunchCost,
    shares: LaunchShares | null = null,
  ): Promise<ReserveOutcome> {
    return this.#spending.reserve(eventId, leaseId, cost, shares);
  }

  /**
   * Ends the launch's reservation: the day's sum gets what it took instead of what was set aside.
   * Does nothing without a reservation. A sum of a day that is over stays as it is.
   *
   * @param spent lamports that the launch took
   */
  settle(eventId: string, leaseId: string, spent: bigint): Promise<void> {
    return this.#spending.settle(eventId, leaseId, spent);
  }

  /** Lamports that launches took or set aside in the UTC day that is now. */
  spentToday(): Promise<bigint> {
    return this.db.read(spentToday);
  }
}

/** The journal of a launch that `leaseId` holds. @param shares see `Launches.reserve` */
export function launchJournal(
  store: Pick<Launches, "reserve" | "settle" | "recordAttempt">,
  { id, launch }: { readonly id: string; readonly launch: LaunchRow },
  shares: LaunchShares | null,
): LaunchJournal {
  const { eventId } = launch;
  return {
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
      if (outcome === "recorded") return null;
      // Midnight may have passed since the lease, and a clock that steps back may return to a day in
      // which the agent has launched.
      await store.settle(eventId, id, 0n);
      throw new AlreadyLaunchedTodayError();
    },
  };
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
