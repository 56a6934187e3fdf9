import type { CollectionLedger } from "../domain/collection.ts";
import type { LaunchShares } from "../domain/day-budget.ts";
import {
  AlreadyLaunchedTodayError,
  type Journal,
  type LaunchAttempt,
  type LaunchJournal,
  LeaseLostError,
  ShareUsedError,
  type SignedTransaction,
  SponsorSpentError,
  type WalletJournal,
} from "../domain/journal.ts";
import type { LeaseTerms } from "../domain/lease.ts";
import type { ClaimRow, Claims } from "./claims.ts";
import type { Collections } from "./collections.ts";
import type { LaunchRow } from "./launch-row.ts";
import type { Launches } from "./launches.ts";
import type { LeasedMigration, PoolMigrations } from "./pool-migrations.ts";

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

/** The journal of a pool's migration that `leaseId` holds. Settling it forgets what was signed. */
export function migrationJournal(
  store: PoolMigrations,
  { tokenMint, latest }: LeasedMigration,
  leaseId: string,
): WalletJournal<SignedTransaction> {
  return {
    latest,
    async reserve(cost) {
      const outcome = await store.reserve(tokenMint, leaseId, cost);
      if (outcome.kind === "lease_lost") throw new LeaseLostError();
      return outcome;
    },
    async settle(spent) {
      await store.settle(tokenMint, leaseId, spent);
      await store.discard(tokenMint, leaseId);
    },
    async record(attempt) {
      if (!(await store.record(tokenMint, leaseId, attempt))) throw new LeaseLostError();
      return null;
    },
  };
}

/**
 * The journal of a claim. It leases the claim with the first transaction that it stores.
 *
 * @param maxAtRisk see `Claims.submit`
 */
export function claimJournal(
  store: Claims,
  { id, lease, lastValidBlockHeight }: ClaimRow & { readonly lease: LeaseTerms },
  maxAtRisk?: number,
): Journal {
  return {
    async record({ signature, transaction }) {
      const outcome = await store.submit(id, lease, signature, transaction, maxAtRisk);
      if (outcome.kind === "sponsor_spent") throw new SponsorSpentError();
      if (outcome.kind !== "leased") throw new LeaseLostError();
      // A sponsored claim that was withdrawn keeps its first bytes, and others are not sent.
      const isStored = Buffer.compare(outcome.transaction, transaction) === 0;
      if (isStored && !outcome.mayBeUnderWay) return null;
      return {
        signature: outcome.signature,
        transaction: outcome.transaction,
        lastValidBlockHeight,
      };
    },
  };
}

/** The journal of what the operator collects, and of how that ended. Of a token in flight it stores no other. */
export function collectionJournal(store: Collections): CollectionLedger {
  return {
    async record(collection) {
      if ((await store.record(collection)) === "in_flight") throw new LeaseLostError();
      return null;
    },
    end: (signature, end) => store.end(signature, end),
  };
}
