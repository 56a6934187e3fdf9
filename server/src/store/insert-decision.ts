import type { LaunchLimits } from "../domain/intake-limits.ts";
import { inviteHash } from "./admission.ts";
import type { BatchFacts, BatchRequest, IntakeBatch } from "./intake-batch.ts";
import type { InsertOutcome, NewLaunch, RequestOrigin } from "./new-launch.ts";

/** What is written for the launches that are accepted. */
export interface InsertDecision {
  /** Of each launch of the batch. */
  readonly outcomes: InsertOutcome[];
  readonly accepted: readonly NewLaunch[];
  /** Invites that are redeemed with a launch. */
  readonly redeemed: readonly { readonly wallet: string; readonly codeHash: string }[];
  /** Tickers to be taken from launches that ended at `endedBy` or before. */
  readonly released: readonly { readonly ticker: string; readonly endedBy: number }[];
}

/** Decides on new launches, one after another. */
export function decideInserts(
  launches: readonly NewLaunch[],
  batch: IntakeBatch,
  {
    keys,
    images,
    tickerHoldMs,
  }: Pick<BatchFacts, "keys" | "images"> & Pick<LaunchLimits, "tickerHoldMs">,
): InsertDecision {
  const known = new Map(keys.map((it) => [keyOf(it.wallet, it.key), it]));
  const present = new Set(images);
  const decision = { accepted: [], redeemed: [], released: [] } as {
    accepted: NewLaunch[];
    redeemed: { wallet: string; codeHash: string }[];
    released: { ticker: string; endedBy: number }[];
  };
  const outcomes = launches.map((launch): InsertOutcome => {
    const { wallet, ticker, eventId, idempotency } = launch;
    const id = idempotency && keyOf(wallet, idempotency.key);
    const same = id === null ? undefined : known.get(id);
    if (same && idempotency) {
      return same.requestHash === idempotency.requestHash
        ? { kind: "replayed", eventId: same.eventId }
        : { kind: "key_reused" };
    }
    if (launch.imageHash !== null && !present.has(launch.imageHash)) return { kind: "image_gone" };
    const request = requestOf(launch);
    const refusal = batch.refusal(request);
    if (refusal !== null) return { kind: refusal };
    const { redeems, releases } = batch.accept(request);
    if (redeems) decision.redeemed.push({ wallet, codeHash: request.inviteHash ?? "" });
    if (releases) decision.released.push({ ticker, endedBy: request.now - tickerHoldMs });
    if (id !== null && idempotency) known.set(id, { wallet, eventId, ...idempotency });
    decision.accepted.push(launch);
    return { kind: "stored", eventId };
  });
  return { outcomes, ...decision };
}

export function requestOf(launch: NewLaunch): BatchRequest {
  const { eventId, wallet, ticker, address, createdAt, inviteCode = null, objection } = launch;
  return {
    ...{ eventId, wallet, ticker, address, now: createdAt, isRetry: false },
    inviteHash: inviteCode === null ? null : inviteHash(inviteCode),
    objections: objection ? [objection] : [],
    ...{ key: launch.idempotency?.key ?? null, imageHash: launch.imageHash },
  };
}

/** @param ticker null if it is not known yet */
export function retryOf(
  launch: { readonly wallet: string; readonly eventId: string; readonly ticker: string | null },
  { address, now, objection }: RequestOrigin,
): BatchRequest {
  return {
    ...{ ...launch, address, now, isRetry: true, inviteHash: null },
    ...{ objections: objection ? [objection] : [], key: null, imageHash: null },
  };
}

const keyOf = (wallet: string, key: string) => `${wallet} ${key}`;
