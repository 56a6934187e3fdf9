import type { ClaimReceipt } from "@tokenctl/shared/types";
import { ApiError, ChainRefusedError, ServerError } from "../api-errors.ts";
import { NotApprovedError } from "../claim-errors.ts";
import type { ApiErrorCode } from "../error-codes.ts";
import {
  AbortError,
  ConnectionError,
  InvalidResponseError,
  TimeoutError,
  TokenctlError,
} from "../errors.ts";
import type { Approve } from "../options.ts";
import type { Signer } from "../signer.ts";
import { sleep } from "./deadline.ts";
import { decodeTransaction, signChecked, type What } from "./signed.ts";
import { withJson } from "./tokenctl-error.ts";

/** The server's first answer: a transaction for the agent to sign. */
interface Prepared {
  /** Base64. */
  readonly transaction: string;
  readonly expiresInSeconds: number;
}

/** What an agent signs: a claim, a hand-over, or a launch that it pays for. */
export interface Order<P extends Prepared, Approval extends object, Result> {
  readonly what: What;
  readonly signer: Signer;
  readonly prepare: () => Promise<P>;
  /** Returns what the transaction's bytes do. @throws if that is not the order */
  readonly check: (prepared: P) => Promise<Approval>;
  readonly submit: (signed: string, offer: Offer<P, Approval>) => Promise<Result>;
  /** After these refusals a new transaction is needed. */
  readonly outdated: readonly ApiErrorCode[];
}

/** A transaction that was checked. */
export interface Offer<P, Approval> {
  readonly prepared: P;
  readonly approval: Approval;
  /** Milliseconds from `checkedAt` in which the transaction can be signed and submitted. */
  readonly lifeMs: number;
  /** By `performance.now()`. */
  readonly checkedAt: number;
}

interface Asking<Approval> {
  readonly approve?: Approve<Approval> | undefined;
  readonly onRenew?: ((expiresAt: Date) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** It starts over at most once, because a second signature can cost a second network fee. */
const ATTEMPTS = 2;
/** The minimum share of a transaction's life that the wallet gets to sign it. */
const WALLETS_SHARE = 1 / 3;
/** Minimum milliseconds between two renewals, whatever expiry the server states. */
const RENEWAL_MS = 1_000;
/** In milliseconds. Longer timers fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Has an order approved, signed and submitted. Each signature needs an approval of what is signed.
 *
 * @param approved an earlier approval, which counts for the first signature
 */
export async function signAndSubmit<P extends Prepared, Approval extends object, Result>(
  order: Order<P, Approval, Result>,
  asking: Asking<Approval>,
  approved?: Approval,
): Promise<Result> {
  const { what, signer, submit, outdated } = order;
  for (let attempt = 1; ; attempt++) {
    const offer = await approvedOffer(order, asking, attempt === 1 ? approved : undefined);
    const transaction = decodeTransaction(offer.prepared.transaction);
    const signed = await signChecked(signer, transaction, { what, expiresAt: expiryOf(offer) });
    try {
      return await submit(signed, offer);
    } catch (error) {
      const isOutdated = error instanceof ApiError && outdated.includes(error.code);
      if (!isOutdated || attempt === ATTEMPTS) throw error;
    }
  }
}

/**
 * Asks the caller to approve an order. It replaces a transaction that is about to expire, and asks
 * again only if the first approval does not cover the new one.
 *
 * @throws {AbortError} if the signal fires before the answer
 */
export async function approvedOffer<P extends Prepared, Approval extends object>(
  order: Order<P, Approval, unknown>,
  { approve, onRenew, signal }: Asking<Approval>,
  before?: Approval,
): Promise<Offer<P, Approval>> {
  let offer = await checkedOffer(order);
  if (!approve || (before && covers(before, offer.approval))) return offer;
  for (;;) {
    const approved = offer.approval;
    const answered = new AbortController();
    const keepFresh = async () => {
      for (;;) {
        await sleep(Math.max(RENEWAL_MS, timeLeft(offer)), answered.signal);
        const renewed = await checkedOffer(order);
        if (answered.signal.aborted || !covers(approved, renewed.approval)) return;
        offer = renewed;
        onRenew?.(expiryOf(offer));
      }
    };
    try {
      const approval = approve(approved, expiryOf(offer), offer.prepared.transaction);
      // A failure here shows again when the order is prepared after the caller's answer.
      if (approval !== undefined) void keepFresh().catch(() => {});
      await approval;
    } finally {
      answered.abort();
    }
    if (signal?.aborted) throw new AbortError(signal.reason);
    if (timeLeft(offer) > 0) return offer;
    offer = await checkedOffer(order);
    if (covers(approved, offer.approval)) return offer;
  }
}

/** Counts a transaction's life from the answer, less the time that a request takes to submit it. */
async function checkedOffer<P extends Prepared, Approval extends object>({
  prepare,
  check,
}: Order<P, Approval, unknown>): Promise<Offer<P, Approval>> {
  const askedAt = performance.now();
  const prepared = await prepare();
  const checkedAt = performance.now();
  const statedMs = prepared.expiresInSeconds * 1000;
  const lifeMs = statedMs - Math.min(checkedAt - askedAt, statedMs / 4);
  const approval = withJson(await check(prepared));
  return { prepared, approval, lifeMs, checkedAt };
}

/** Returns milliseconds until a transaction is too old to ask the wallet. */
function timeLeft({ lifeMs, checkedAt }: Offer<unknown, unknown>): number {
  const left = checkedAt + lifeMs * (1 - WALLETS_SHARE) - performance.now();
  return Math.min(left, LONGEST_TIMER_MS);
}

/** Returns the time by which the server must have the signed transaction. */
function expiryOf({ lifeMs, checkedAt }: Offer<unknown, unknown>): Date {
  return new Date(Date.now() + checkedAt + lifeMs - performance.now());
}

/** Returns whether a submitted transaction may have landed in spite of this error. */
export function hasUnknownOutcome(error: unknown): error is Error {
  if (error instanceof ServerError) return !(error instanceof ChainRefusedError);
  return [ConnectionError, TimeoutError, InvalidResponseError].some(
    (type) => error instanceof type,
  );
}

interface Left {
  readonly eventId?: string;
  readonly claimed?: readonly ClaimReceipt[];
  /** What is left behind, and the calls that continue it. */
  readonly hint: string;
}

/** Adds to the error of a call what the call leaves behind. */
export function leaving(cause: unknown, { hint, ...left }: Left): TokenctlError {
  const error = cause instanceof TokenctlError ? cause : new NotApprovedError(cause);
  const advice = error.hint === undefined ? hint : `${error.hint.replace(/\.$/, "")}. ${hint}`;
  return Object.assign(error, { ...left, hint: advice });
}

/** How an amount may differ from the approved one; all else must be the same. */
type Rule = "same" | "less" | "more";

/** Rules for a field and everything in it, keyed by the field's name. */
const RULES: Readonly<Record<string, Rule>> = {
  networkFeeLamports: "less",
  rentLamports: "less",
  createdAccounts: "less",
  sponsor: "less",
  receivers: "more",
  costSOL: "less",
};

/**
 * Returns whether one approval also covers another of its kind: `next` must have the same object,
 * cost no more, and pay each receiver no less.
 */
export function covers(approved: unknown, next: unknown, rule: Rule = "same"): boolean {
  if (typeof approved === "object" && approved !== null) {
    if (typeof next !== "object" || next === null) return false;
    const keys = Object.keys(approved);
    return (
      keys.length === Object.keys(next).length &&
      keys.every((key) =>
        covers(Reflect.get(approved, key), Reflect.get(next, key), RULES[key] ?? rule),
      )
    );
  }
  const isAmount = typeof approved === "bigint" || typeof approved === "number";
  if (!isAmount || typeof next !== typeof approved) return Object.is(approved, next);
  if (rule === "less") return (next as bigint) <= approved;
  return rule === "more" ? (next as bigint) >= approved : next === approved;
}
