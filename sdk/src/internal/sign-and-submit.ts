import { ApiError } from "../api-error.ts";
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
import { decodeTransaction, isPlay, signChecked, type What } from "./signed.ts";
import { withJson } from "./tokenctl-error.ts";

interface Prepared {
  /** Base64. */
  readonly transaction: string;
  readonly expiresInSeconds: number;
}

export interface Order<P extends Prepared, Approval extends object, Result> {
  readonly what: What;
  readonly signer: Signer;
  readonly prepare: () => Promise<P>;
  /** Returns what the transaction's bytes do. */
  readonly check: (prepared: P) => Promise<Approval>;
  readonly submit: (signed: string, offer: Offer<P, Approval>) => Promise<Result>;
  /** After these refusals a new transaction is needed. */
  readonly outdated: readonly ApiErrorCode[];
}

export interface Offer<P, Approval> {
  readonly prepared: P;
  readonly approval: Approval;
  /** When the transaction gets too old to ask the wallet, by `performance.now()`. */
  readonly askBy: number;
}

interface Asking<Approval> {
  readonly approve?: Approve<Approval> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** It starts over at most once, because a second signature can cost a second network fee. */
const ATTEMPTS = 2;
/** For one signature: a server could offer another transaction each time. */
const MOST_QUESTIONS = 5;
/** The minimum share of a transaction's life that the wallet gets to sign it. */
const WALLETS_SHARE = 1 / 3;

export async function signAndSubmit<P extends Prepared, Approval extends object, Result>(
  order: Order<P, Approval, Result>,
  asking: Asking<Approval>,
  approved?: Offer<P, Approval>,
): Promise<Result> {
  const { what, signer, submit, outdated } = order;
  for (let attempt = 1; ; attempt++) {
    const offer = await approvedOffer(order, asking, attempt === 1 ? approved : undefined);
    const signed = await signChecked(signer, decodeTransaction(offer.prepared.transaction), what);
    if (asking.signal?.aborted) throw new AbortError(asking.signal.reason);
    try {
      return await submit(signed, offer);
    } catch (error) {
      const isOutdated = error instanceof ApiError && outdated.includes(error.code);
      if (!isOutdated || attempt === ATTEMPTS) throw error;
    }
  }
}

/** After a late answer it replaces the transaction, and asks again if that is not covered. */
export async function approvedOffer<P extends Prepared, Approval extends object>(
  order: Order<P, Approval, unknown>,
  { approve, signal }: Asking<Approval>,
  before?: Offer<P, Approval>,
): Promise<Offer<P, Approval>> {
  let offer = await checkedOffer(order);
  if (!approve || (before && isCovered(before, offer))) return offer;
  for (let asked = 0; asked < MOST_QUESTIONS; asked++) {
    const approved = offer;
    await approve(approved.approval, approved.prepared.transaction);
    if (signal?.aborted) throw new AbortError(signal.reason);
    if (performance.now() < approved.askBy) return approved;
    offer = await checkedOffer(order);
    if (isCovered(approved, offer)) return offer;
  }
  throw new InvalidResponseError("The transactions expire before they can be approved", 200);
}

/** What was approved for a sandbox covers nothing that can land elsewhere. */
const isCovered = (by: Offer<Prepared, unknown>, next: Offer<Prepared, unknown>) =>
  isPlay(by.prepared.transaction) === isPlay(next.prepared.transaction) &&
  covers(by.approval, next.approval);

/** Counts a transaction's life from the answer, less the time that a request takes to submit it. */
async function checkedOffer<P extends Prepared, Approval extends object>({
  prepare,
  check,
}: Order<P, Approval, unknown>): Promise<Offer<P, Approval>> {
  const askedAt = performance.now();
  const prepared = await prepare();
  const answeredAt = performance.now();
  const statedMs = prepared.expiresInSeconds * 1000;
  const lifeMs = statedMs - Math.min(answeredAt - askedAt, statedMs / 4);
  const approval = withJson(await check(prepared));
  return { prepared, approval, askBy: answeredAt + lifeMs * (1 - WALLETS_SHARE) };
}

/** Returns whether a submitted transaction may have landed in spite of this error. */
export function hasUnknownOutcome(error: unknown): error is Error {
  // A 502 with a code says that the chain refused the transaction; gateways send none.
  if (error instanceof ApiError)
    return error.status >= 500 && (error.status !== 502 || error.code === "api_error");
  return [AbortError, ConnectionError, TimeoutError, InvalidResponseError].some(
    (type) => error instanceof type,
  );
}

/** Wraps what the caller's own function threw, because the call leaves something behind. */
export function notApproved(cause: unknown): TokenctlError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new TokenctlError("not_approved", message, { cause });
}

/** Adds to the error of a call what the call leaves behind, and the calls that continue it. */
export function leaving(
  cause: unknown,
  { hint, ...left }: { hint: string } & Pick<TokenctlError, "eventId" | "claimed">,
): TokenctlError {
  const error = cause instanceof TokenctlError ? cause : notApproved(cause);
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

/** Returns whether `next` has the same object, costs no more, and pays each receiver no less. */
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
