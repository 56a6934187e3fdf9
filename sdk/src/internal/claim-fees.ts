import { ApiError, ChainRefusedError, ServerError } from "../api-errors.ts";
import type { ClaimCost } from "../claim-check/terms.ts";
import { ClaimUnsettledError } from "../claim-errors.ts";
import type { ApiErrorCode } from "../error-codes.ts";
import { AbortError, ConnectionError, InvalidResponseError, TimeoutError } from "../errors.ts";
import type { ClaimOptions } from "../options.ts";
import { sleep } from "./http.ts";

/** The steps of a claim. */
export interface ClaimAttempt<Prepared, Result> {
  /** Prepares a claim and checks it. */
  prepare(): Promise<CheckedClaim<Prepared>>;
  sign(prepared: Prepared, expiresAt: Date): Promise<string>;
  submit(prepared: Prepared, signed: string): Promise<Result>;
  /** The claim's tokens, at least one. */
  tokenMints(prepared: Prepared): readonly string[];
}

/** The transaction can no longer land, or the server does not know it: a new one is needed. */
const NEEDS_NEW_TRANSACTION: readonly ApiErrorCode[] = ["claim_expired", "claim_mismatch"];

/** Claims fees. Starts over once if the first transaction can no longer be used. */
export async function claimFees<Prepared, Result>(
  steps: ClaimAttempt<Prepared, Result>,
  options: ClaimOptions,
): Promise<Result> {
  const attempt = async () => {
    const claim = await approveClaim(steps.prepare, options);
    const { prepared } = claim;
    const signed = await steps.sign(prepared, expiryOf(claim));
    try {
      return await steps.submit(prepared, signed);
    } catch (error) {
      if (!hasUnknownOutcome(error)) throw error;
      const mints = steps.tokenMints(prepared);
      throw new ClaimUnsettledError(mints[0] ?? "", signed, error, mints);
    }
  };
  try {
    return await attempt();
  } catch (error) {
    // The chain pays fees once: a second transaction cannot claim them again.
    if (error instanceof ApiError && NEEDS_NEW_TRANSACTION.includes(error.code)) return attempt();
    throw error;
  }
}

/** @returns whether a submitted claim may have been paid in spite of this error */
function hasUnknownOutcome(error: unknown): error is Error {
  if (error instanceof ServerError) return !(error instanceof ChainRefusedError);
  return [ConnectionError, TimeoutError, InvalidResponseError].some(
    (type) => error instanceof type,
  );
}

/** A prepared claim that was checked. */
export interface CheckedClaim<Prepared> {
  readonly prepared: Prepared;
  readonly cost: ClaimCost;
  /** Milliseconds for which it is worth asking the wallet, from `checkedAt` on. */
  readonly lifeMs: number;
  /** By `performance.now()`. */
  readonly checkedAt: number;
}

/** What of a claim's life a wallet gets at least to sign it. */
const WALLETS_SHARE = 1 / 3;

/** Milliseconds between two renewals at least, whatever a server says about its claims. */
const RENEWAL_MS = 1_000;

/** Longer timers fire at once. In milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Asks the caller whether a claim may be signed. A claim that is about to expire is prepared
 * again, and the caller is asked again only if the new one costs more.
 *
 * @param prepare prepares a claim and checks it
 * @returns the claim to sign, which does not expire before a wallet has had time for it
 * @throws {AbortError} the signal fired before the caller has answered
 */
async function approveClaim<Prepared>(
  prepare: () => Promise<CheckedClaim<Prepared>>,
  { approve, onRenew, signal }: ClaimOptions,
): Promise<CheckedClaim<Prepared>> {
  let claim = await prepare();
  if (!approve) return claim;
  for (;;) {
    const approved = claim.cost;
    const answered = new AbortController();
    const keepFresh = async () => {
      for (;;) {
        await sleep(Math.max(RENEWAL_MS, timeLeft(claim)), answered.signal);
        const renewed = await prepare();
        if (answered.signal.aborted || costsMore(renewed.cost, approved)) return;
        claim = renewed;
        onRenew?.(expiryOf(claim));
      }
    };
    try {
      const approval = approve(approved, expiryOf(claim));
      // If it fails, the claim is renewed once the caller has answered, and fails then.
      if (approval !== undefined) void keepFresh().catch(() => {});
      await approval;
    } finally {
      answered.abort();
    }
    if (signal?.aborted) throw new AbortError(signal.reason);
    if (timeLeft(claim) > 0) return claim;
    claim = await prepare();
    if (!costsMore(claim.cost, approved)) return claim;
  }
}

/** @returns milliseconds until the claim should be renewed, before the wallet is asked */
function timeLeft({ lifeMs, checkedAt }: CheckedClaim<unknown>): number {
  const left = checkedAt + lifeMs * (1 - WALLETS_SHARE) - performance.now();
  return Math.min(left, LONGEST_TIMER_MS);
}

/** @returns when the claim's signature must be at the server */
function expiryOf({ lifeMs, checkedAt }: CheckedClaim<unknown>): Date {
  return new Date(Date.now() + checkedAt + lifeMs - performance.now());
}

function costsMore(renewed: ClaimCost, approved: ClaimCost): boolean {
  const total = ({ networkFeeLamports, rentLamports }: ClaimCost) =>
    networkFeeLamports + rentLamports;
  return total(renewed) > total(approved) || renewed.sponsor?.address !== approved.sponsor?.address;
}
