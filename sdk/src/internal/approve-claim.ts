import type { PreparedClaims } from "@tokenctl/shared/types";
import type { ClaimCost } from "../claim-check/terms.ts";
import { AbortError } from "../errors.ts";
import type { ClaimOptions } from "../options.ts";
import { sleep } from "./deadline.ts";

export interface CheckedClaim {
  readonly prepared: PreparedClaims;
  readonly cost: ClaimCost;
  /** Milliseconds for which it is worth asking the wallet, counted from `checkedAt`. */
  readonly lifeMs: number;
  /** By `performance.now()`. */
  readonly checkedAt: number;
}

/** The minimum share of a claim's life that a wallet gets to sign it. */
const WALLETS_SHARE = 1 / 3;
/** Minimum milliseconds between two renewals, whatever a server says about its claims. */
const RENEWAL_MS = 1_000;
/** Longer timers fire at once. In milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Asks whether a claim may be signed. One that is about to expire is prepared again, and the caller
 * is asked again only if it costs more or pays its receivers less. @throws {AbortError} if the signal fires
 * before the answer
 */
export async function approveClaim(
  prepare: () => Promise<CheckedClaim>,
  { approve, onRenew, signal }: ClaimOptions,
): Promise<CheckedClaim> {
  let claim = await prepare();
  if (!approve) return claim;
  for (;;) {
    const approved = claim.cost;
    const answered = new AbortController();
    const keepFresh = async () => {
      for (;;) {
        await sleep(Math.max(RENEWAL_MS, timeLeft(claim)), answered.signal);
        const renewed = await prepare();
        if (answered.signal.aborted || isWorse(renewed.cost, approved)) return;
        claim = renewed;
        onRenew?.(expiryOf(claim));
      }
    };
    try {
      const approval = approve(approved, expiryOf(claim), claim.prepared.transaction);
      // If this fails, the claim is prepared again once the caller has answered, and that fails too.
      if (approval !== undefined) void keepFresh().catch(() => {});
      await approval;
    } finally {
      answered.abort();
    }
    if (signal?.aborted) throw new AbortError(signal.reason);
    if (timeLeft(claim) > 0) return claim;
    claim = await prepare();
    if (!isWorse(claim.cost, approved)) return claim;
  }
}

/** @returns milliseconds until the claim should be renewed, before the wallet is asked */
function timeLeft({ lifeMs, checkedAt }: CheckedClaim): number {
  const left = checkedAt + lifeMs * (1 - WALLETS_SHARE) - performance.now();
  return Math.min(left, LONGEST_TIMER_MS);
}

/** @returns when the server must have the signed claim */
export function expiryOf({ lifeMs, checkedAt }: CheckedClaim): Date {
  return new Date(Date.now() + checkedAt + lifeMs - performance.now());
}

function isWorse(renewed: ClaimCost, approved: ClaimCost): boolean {
  const total = ({ networkFeeLamports, rentLamports }: ClaimCost) =>
    networkFeeLamports + rentLamports;
  return (
    total(renewed) > total(approved) ||
    paidBy(renewed) < paidBy(approved) ||
    renewed.sponsor?.address !== approved.sponsor?.address
  );
}

/** What its receivers get together, in the shares that the caller named. */
function paidBy({ receivers = [] }: ClaimCost): bigint {
  return receivers.reduce((sum, { lamports }) => sum + lamports, 0n);
}
