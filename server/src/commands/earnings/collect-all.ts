import type { CollectionEnd } from "../../domain/journal.ts";
import type { TokenRef } from "../../domain/token.ts";
import type { Collector, PlannedCollection } from "../../launchpad/chain/collector.ts";
import { claimableOf, type PartnerProgram } from "../../launchpad/pool-program.ts";
import type { Store } from "../../store/store.ts";
import { readTokens } from "./open.ts";

const SIDE_BY_SIDE = 4;
const TOKENS_AT_ONCE = 8;

export interface CollectAllOptions {
  readonly store: Pick<Store, "tokens" | "collections">;
  readonly partner: PartnerProgram;
  readonly collector: Collector;
  readonly minLamports: bigint;
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
  readonly onStep?: (step: CollectStep) => void;
}

export type CollectStep =
  /** @property isEarlier whether an earlier run stored the transaction */
  | {
      readonly kind: "ended";
      readonly signature: string;
      readonly end: CollectionEnd;
      readonly isEarlier: boolean;
    }
  | {
      readonly kind: "would_take";
      readonly tokens: readonly { readonly tokenMint: string; readonly lamports: bigint }[];
      readonly lamports: bigint;
      readonly feeLamports: bigint;
    }
  | { readonly kind: "refused"; readonly tokenMint: string; readonly reason: string }
  | { readonly kind: "in_flight"; readonly tokens: readonly string[] };

/** Finishes what earlier runs stored, then takes the richest. @throws {ChainUnavailableError} */
export async function collectAll(options: CollectAllOptions): Promise<CollectStep[]> {
  const { store, partner, collector, minLamports, isDryRun, signal, onStep } = options;
  const steps: CollectStep[] = [];
  const tell = (step: CollectStep) => {
    steps.push(step);
    onStep?.(step);
  };
  if (!isDryRun) {
    const earlier = await store.collections.unsettled();
    await sideBySide(async () => {
      const { transaction = null, ...collection } = earlier.shift() ?? {};
      if (transaction === null || !("id" in collection) || signal.aborted) return false;
      const end = await collector.finish({ ...collection, transaction }, signal);
      tell({ kind: "ended", signature: collection.signature, end, isEarlier: true });
      return true;
    });
  }
  const queue = await worthCollecting(store, partner, minLamports);
  const alone = new Set<string>();
  await sideBySide(async () => {
    const batch = nextBatch(queue, alone);
    const [first] = batch;
    if (!first || signal.aborted) return false;
    const planned = await collector.plan(batch);
    if (planned.kind === "nothing" || planned.kind === "not_worth_it") return true;
    if (planned.kind === "refused") {
      const { tokenMint } = first;
      if (batch.length === 1) tell({ kind: "refused", tokenMint, reason: planned.reason });
      else {
        for (const token of batch) alone.add(token.tokenMint);
        queue.unshift(...batch);
      }
      return true;
    }
    const fitting = new Set(planned.tokens.map(({ token }) => token.tokenMint));
    queue.unshift(...batch.filter(({ tokenMint }) => !fitting.has(tokenMint)));
    tell(await take(collector, planned, { isDryRun, signal }));
    return true;
  });
  return steps;
}

async function worthCollecting(
  store: CollectAllOptions["store"],
  partner: PartnerProgram,
  minLamports: bigint,
): Promise<TokenRef[]> {
  const found: { readonly token: TokenRef; readonly lamports: bigint }[] = [];
  for await (const { tokenMint, poolAddress, revenue } of readTokens(store, partner)) {
    if ("unreadable" in revenue) continue;
    const lamports = claimableOf(revenue);
    if (lamports === 0n || lamports < minLamports) continue;
    found.push({ token: { tokenMint, poolAddress }, lamports });
  }
  found.sort((a, b) => (a.lamports < b.lamports ? 1 : -1));
  return found.map(({ token }) => token);
}

function nextBatch(queue: TokenRef[], alone: ReadonlySet<string>): TokenRef[] {
  const end = queue.findIndex(({ tokenMint }) => alone.has(tokenMint));
  if (end === 0) return queue.splice(0, 1);
  return queue.splice(0, Math.min(TOKENS_AT_ONCE, end === -1 ? queue.length : end));
}

/** Runs several calls at a time until one returns false or throws, then waits for the others. */
async function sideBySide(work: () => Promise<boolean>): Promise<void> {
  let isOver = false;
  const loops = Array.from({ length: SIDE_BY_SIDE }, async () => {
    try {
      while (!isOver && (await work()));
    } catch (error) {
      isOver = true;
      throw error;
    }
  });
  const ended = await Promise.allSettled(loops);
  const failed = ended.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
}

async function take(
  collector: Collector,
  planned: Extract<PlannedCollection, { kind: "planned" }>,
  { isDryRun, signal }: Pick<CollectAllOptions, "isDryRun" | "signal">,
): Promise<CollectStep> {
  const { lamports, feeLamports } = planned;
  const tokens = planned.tokens.map((one) => ({
    tokenMint: one.token.tokenMint,
    lamports: one.lamports,
  }));
  if (isDryRun) return { kind: "would_take", tokens, lamports, feeLamports };
  const sent = await collector.send(planned, signal);
  if (sent === null) return { kind: "in_flight", tokens: tokens.map(({ tokenMint }) => tokenMint) };
  return { kind: "ended", ...sent, isEarlier: false };
}
