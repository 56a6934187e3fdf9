import { formatSol } from "@tokenctl/shared/sol";
import { systemClock } from "../base/clock.ts";
import { requireWallet, withKeypair } from "../config/config.ts";
import type { CollectionEnd } from "../domain/journal.ts";
import type { TokenRef } from "../domain/token.ts";
import { Collector } from "../launchpad/chain/collector.ts";
import { crashPointOf } from "../launchpad/crash-point.ts";
import { claimableOf, type PartnerProgram } from "../launchpad/pool-program.ts";
import type { Store } from "../store/store.ts";
import { type EarningOptions, openEarnings, readTokens } from "./earnings.ts";
import { counted, exactJson } from "./terminal.ts";

const INTERRUPTED = "Interrupted: run it again, which also finishes what is under way.";

export async function collect({ keypair, json = false }: EarningOptions) {
  process.umask(0o077);
  await using earnings = await openEarnings(withKeypair(process.env, keypair), false);
  const { store, partner } = earnings;
  const wallet = requireWallet(earnings.wallet);
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const collector = new Collector({
    ...earnings,
    wallet,
    program: partner,
    ledger: store.collections,
    clock: systemClock,
    crashPoint: crashPointOf(process.env),
  });
  const collecting = collectAll({
    store,
    partner,
    collector,
    signal: stop.signal,
    onStep: (step) => console.error(describe(step)),
  });
  const steps = await collecting.catch((error: unknown) => {
    if (stop.signal.aborted) throw new Error(INTERRUPTED, { cause: error });
    throw error;
  });
  const sum = summaryOf(steps);
  if (json) console.log(exactJson({ unit: "lamports", ...sum, steps }));
  else if (steps.length === 0) console.log("Nothing to collect");
  else {
    const fees = `${formatSol(sum.feeLamports)} SOL in fees, in ${counted(sum.transactions, "transaction")}`;
    console.log(
      `Collected ${formatSol(sum.lamports)} SOL from ${counted(sum.tokens, "token")}, for ${fees}`,
    );
  }
  if (stop.signal.aborted) throw new Error(INTERRUPTED);
  if (sum.problems > 0) throw new Error("Not all could be collected: run it again.");
}

function summaryOf(steps: readonly CollectStep[]) {
  const sum = { lamports: 0n, feeLamports: 0n, tokens: 0, transactions: 0, problems: 0 };
  for (const step of steps) {
    if (step.kind === "refused" || step.kind === "in_flight") sum.problems += 1;
    else {
      sum.feeLamports += step.end.feeLamports;
      sum.transactions += 1;
      if (step.end.status === "confirmed") {
        sum.lamports += step.end.paidLamports;
        sum.tokens += step.end.tokens.length;
      } else if (!step.isEarlier) sum.problems += 1;
    }
  }
  return sum;
}

function describe(step: CollectStep): string {
  if (step.kind === "refused") return `${step.tokenMint}: the chain refuses it: ${step.reason}`;
  if (step.kind === "in_flight") {
    return `${step.tokens.join(", ")}: another run is collecting from them`;
  }
  const { signature, end, isEarlier } = step;
  const about = isEarlier ? `${signature} of an earlier run` : signature;
  if (end.status !== "confirmed") return `${about}: ${end.status}, nothing was taken`;
  return `${about}: ${formatSol(end.paidLamports)} SOL from ${counted(end.tokens.length, "token")}`;
}

/** More than fit into a transaction. */
const TOKENS_AT_ONCE = 8;

export type CollectStep =
  /** @property isEarlier whether an earlier run stored the transaction */
  | {
      readonly kind: "ended";
      readonly signature: string;
      readonly end: CollectionEnd;
      readonly isEarlier: boolean;
    }
  | { readonly kind: "refused"; readonly tokenMint: string; readonly reason: string }
  | { readonly kind: "in_flight"; readonly tokens: readonly string[] };

interface CollectAll {
  readonly store: Pick<Store, "tokens" | "collections">;
  readonly partner: PartnerProgram;
  readonly collector: Collector;
  readonly signal: AbortSignal;
  readonly onStep?: (step: CollectStep) => void;
}

/** Finishes what earlier runs stored, then takes the richest. @throws {ChainUnavailableError} */
export async function collectAll(options: CollectAll): Promise<CollectStep[]> {
  const { store, partner, collector, signal, onStep } = options;
  const steps: CollectStep[] = [];
  const tell = (step: CollectStep) => {
    steps.push(step);
    onStep?.(step);
  };
  for (const { transaction, ...collection } of await store.collections.unsettled()) {
    if (transaction === null || signal.aborted) continue;
    const end = await collector.finish({ ...collection, transaction }, signal);
    tell({ kind: "ended", signature: collection.signature, end, isEarlier: true });
  }
  const queue = await worthCollecting(store, partner);
  const take = async (batch: readonly TokenRef[]): Promise<void> => {
    const found = await collector.collect(batch, signal);
    if (found.kind === "nothing") return;
    if (found.kind === "refused") {
      const [first, ...others] = batch;
      if (!first) return;
      const { tokenMint } = first;
      if (others.length === 0) tell({ kind: "refused", tokenMint, reason: found.reason });
      else for (const token of batch) await take([token]);
      return;
    }
    const { tokens, ...sent } = found;
    queue.unshift(...batch.filter(({ tokenMint }) => !tokens.includes(tokenMint)));
    if (sent.kind === "ended") tell({ ...sent, isEarlier: false });
    else tell({ kind: "in_flight", tokens });
  };
  while (queue.length > 0 && !signal.aborted) await take(queue.splice(0, TOKENS_AT_ONCE));
  return steps;
}

async function worthCollecting(
  store: Pick<Store, "tokens">,
  partner: PartnerProgram,
): Promise<TokenRef[]> {
  const found: { readonly token: TokenRef; readonly lamports: bigint }[] = [];
  for await (const { tokenMint, poolAddress, revenue } of readTokens(store, partner)) {
    const lamports = "unreadable" in revenue ? 0n : claimableOf(revenue);
    if (lamports > 0n) found.push({ token: { tokenMint, poolAddress }, lamports });
  }
  found.sort((a, b) => (a.lamports < b.lamports ? 1 : -1));
  return found.map(({ token }) => token);
}
