import { formatSol } from "@tokenctl/shared/sol";
import { systemClock } from "../base/clock.ts";
import { requireWallet, withKeypair } from "../config/config.ts";
import { Collector } from "../launchpad/chain/collector.ts";
import { crashPointOf } from "../launchpad/crash-point.ts";
import { type CollectStep, collectAll } from "./earnings/collect-all.ts";
import { openEarnings } from "./earnings/open.ts";
import { counted, exactJson } from "./table.ts";

export interface CollectOptions {
  readonly keypair?: string;
  readonly min: bigint;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const INTERRUPTED = "Interrupted: run it again, which also finishes what is under way.";

export async function collect({ keypair, min, dryRun = false, json = false }: CollectOptions) {
  process.umask(0o077);
  await using earnings = await openEarnings(withKeypair(process.env, keypair), dryRun);
  const { store, partner } = earnings;
  const wallet = requireWallet(earnings.wallet);
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort());
  process.once("SIGTERM", () => stop.abort());
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
    minLamports: min,
    isDryRun: dryRun,
    signal: stop.signal,
    onStep: (step) => console.error(describe(step)),
  });
  const steps = await collecting.catch((error: unknown) => {
    if (stop.signal.aborted) throw new Error(INTERRUPTED, { cause: error });
    throw error;
  });
  const sum = summaryOf(steps);
  if (json) console.log(exactJson({ unit: "lamports", dryRun, ...sum, steps }));
  else if (steps.length === 0) console.log("Nothing to collect");
  else {
    const verb = dryRun ? "Would collect" : "Collected";
    const fees = `${formatSol(sum.feeLamports)} SOL in fees, in ${counted(sum.transactions, "transaction")}`;
    console.log(
      `${verb} ${formatSol(sum.lamports)} SOL from ${counted(sum.tokens, "token")}, for ${fees}`,
    );
  }
  if (stop.signal.aborted) throw new Error(INTERRUPTED);
  if (sum.problems > 0) throw new Error("Not all could be collected: run it again.");
}

function summaryOf(steps: readonly CollectStep[]) {
  const sum = { lamports: 0n, feeLamports: 0n, tokens: 0, transactions: 0, problems: 0 };
  for (const step of steps) {
    if (step.kind === "refused" || step.kind === "in_flight") sum.problems += 1;
    else if (step.kind === "would_take") {
      sum.lamports += step.lamports;
      sum.feeLamports += step.feeLamports;
      sum.tokens += step.tokens.length;
      sum.transactions += 1;
    } else {
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
  if (step.kind === "would_take") {
    const mints = step.tokens.map(
      ({ tokenMint, lamports }) => `${tokenMint} ${formatSol(lamports)}`,
    );
    return `would take ${formatSol(step.lamports)} SOL: ${mints.join(", ")}`;
  }
  const { signature, end, isEarlier } = step;
  const about = isEarlier ? `${signature} of an earlier run` : signature;
  if (end.status !== "confirmed") return `${about}: ${end.status}, nothing was taken`;
  return `${about}: ${formatSol(end.paidLamports)} SOL from ${counted(end.tokens.length, "token")}`;
}
