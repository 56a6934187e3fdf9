import type {
  ClaimCost,
  ClaimOutcome,
  ClaimReceiver,
  ClaimResult,
  TokenOfClaim,
  UnreadableClaim,
} from "@tokenctl/sdk";
import { PLAY } from "@tokenctl/shared/clusters";
import { formatSol, lamportsToSol, solToLamports } from "@tokenctl/shared/sol";
import { ClaimBudget, chooseReceivers, namesOf, payoutLines, totalOf } from "../claim-terms.ts";
import { type ColumnOf, type Desk, type Question, type Result, rowsOf } from "../desk.ts";
import { CliError } from "../errors.ts";
import { explainError } from "../explain-error.ts";
import { solText } from "../format.ts";

interface Claim {
  readonly tokenMint?: string;
  readonly all?: boolean;
  readonly to?: readonly string[];
  readonly yes?: boolean;
  readonly maxTotalFeeSol?: number;
}

export async function claim(desk: Desk, input: Claim): Promise<Result> {
  const { tokenMint } = input;
  if (tokenMint === undefined) return claimAll(desk, input);
  const { client, model, notices, signal } = desk;
  const { approve, budget, ...paying } = payingFor(desk, input);
  const claimable = claimableOf(desk);
  notices.notice("Claiming");
  // A model's user agrees to the claim itself, a person only to one that costs more than it pays.
  if (model)
    await desk.confirm(async () => {
      const { claims } = await client.claims({ received: true, signal });
      const found = claims.find((record) => record.tokenMint === tokenMint);
      const amount = found && `${solText(found.claimableSOL)} of fees of ${found.ticker}`;
      return questionOf(desk, `${amount ?? "the fees of"} (${tokenMint})`, paying.to, budget);
    });
  const claiming = client.claim(tokenMint, {
    ...{ signal, ...paying },
    async approve(cost, transaction) {
      await model?.checkBytes(transaction, signal);
      const question = async () => lossOf(cost, await claimable(cost));
      // A model's client answers one question of a call: that showed the fees, and the most it costs.
      if (!model) await desk.confirm(question, input.yes, transaction);
      approve(cost);
    },
  });
  const { success: _, ...receipt } = await claiming;
  const { claimedSOL, gainedSOL, transactionHash, receivers } = receipt;
  // The gain is negative if fees and rent exceed what the claim paid.
  const gained =
    gainedSOL !== undefined &&
    `${gainedSOL < 0 ? "-" : ""}${solText(Math.abs(gainedSOL))} after fees and rent, verified`;
  return {
    data: { tokenMint, ...receipt },
    fields: [
      ["Claimed", solToLamports(claimedSOL)],
      ...payoutLines(receivers).map((line) => ["Paid", line] as const),
      ["Gained", gained || undefined],
      ["Mint", tokenMint],
      ["Transaction", transactionHash],
    ],
    says: `Claimed ${solText(claimedSOL)}.`,
    next: [NEXT],
  };
}

const NEXT = "Next: `tokenctl history` lists what was paid";

/** Returns the receivers, and an `approve` that counts and shows the cost of each signature. */
function payingFor({ client, model, notices, settings }: Desk, input: Claim) {
  const { to: given, maxTotalFeeSol = 0 } = input;
  const to = chooseReceivers(settings, client.address, given);
  const budget = model?.budget ?? new ClaimBudget(solToLamports(maxTotalFeeSol));
  const why = given === undefined ? " (by `config set payout`)" : "";
  const approve = (cost: ClaimCost) => {
    budget.spend(cost);
    const { tokenMints: mints } = cost;
    const what = mints.length === 1 ? `, the fees of ${mints[0]}` : "";
    for (const line of payoutLines(cost.receivers)) notices.notice(`Pays ${line}${what}${why}`);
  };
  return { to, approve, budget };
}

function questionOf(
  { client }: Desk,
  what: string,
  to: readonly ClaimReceiver[] | undefined,
  { left }: ClaimBudget,
): Question {
  const whom = to ? namesOf(to) : `the wallet ${client.address}`;
  const cost = `at most ${formatSol(left)} SOL in network fees and rent`;
  return { action: `Claim ${what} to ${whom}, for ${cost},` };
}

/** Returns a function that sums a claim's claimable lamports from one list; null if unknown. */
function claimableOf({ client, signal }: Desk) {
  let list: Promise<ReadonlyMap<string, bigint> | null> | undefined;
  const read = async () => {
    const { claims } = await client.claims({ received: true, signal });
    return new Map(claims.map((claim) => [claim.tokenMint, solToLamports(claim.claimableSOL)]));
  };
  return async ({ tokenMints }: ClaimCost) => {
    list ??= read().catch(() => null);
    const lamports = await list;
    return lamports && tokenMints.reduce((sum, mint) => sum + (lamports.get(mint) ?? 0n), 0n);
  };
}

/** Returns the question about a claim that costs more than it pays; null for any other claim. */
function lossOf(cost: ClaimCost, claimable: bigint | null): Question | null {
  if (claimable === null || totalOf(cost) <= claimable) return null;
  const [costs, pays] = [totalOf(cost), claimable].map(formatSol);
  return { action: `Claim ${pays} SOL at a cost of up to ${costs} SOL` };
}

const DUST = "costs_more_than_it_pays";

class DustError extends CliError {
  constructor(readonly claimable: bigint) {
    super(DUST, "The claim costs more than it pays");
  }
}

/** Returns the lamports that a skipped claim would have paid; null for every other outcome. */
function dustOf(outcome: ClaimOutcome): bigint | null {
  const cause = outcome.kind === "failed" ? outcome.error.cause : null;
  return cause instanceof DustError ? cause.claimable : null;
}

async function claimAll(desk: Desk, input: Claim): Promise<Result> {
  const { client, model, notices, signal } = desk;
  const { yes } = input;
  const { budget, ...paying } = payingFor(desk, input);
  notices.notice("Reading the fees");
  const question = () => questionOf(desk, "the fees of all tokens", paying.to, budget);
  const isAsked = model !== null || !PLAY.includes(await desk.network());
  if (isAsked) await desk.confirm(question, yes);
  const claimable = claimableOf(desk);
  const all = await client.claimAll({
    ...{ signal, ...paying },
    async approve(claim, transaction) {
      notices.notice("Claiming the fees");
      await model?.checkBytes(transaction, signal);
      // A service that only says that it is a sandbox does not avoid the question.
      if (!isAsked) await desk.confirm(question, yes, transaction);
      const lamports = await claimable(claim);
      if (lamports !== null && lossOf(claim, lamports)) throw new DustError(lamports);
      paying.approve(claim);
    },
    minLamports: 1n,
    // Every other error of `approve`, such as an exhausted budget, ends the claims.
    stopAt: (error) => error instanceof CliError && !(error instanceof DustError),
  });
  const data = dataOf(all.outcomes, all.claimedSOL);
  for (const { ticker, tokenMint, error } of data.unreadable ?? []) {
    notices.warn(`Skipped ${ticker} (${tokenMint}): its fees cannot be read: ${error}`);
  }
  return {
    data,
    ...shownOf(data),
    says: `Claimed ${solText(all.claimedSOL)}.`,
    next: data.claims.length > 0 ? [NEXT] : [],
    failure: failureOf(all.outcomes),
  };
}

interface TriedClaim
  extends TokenOfClaim,
    Pick<ClaimResult, "claimedSOL" | "verified" | "gainedSOL" | "receivers"> {
  readonly transactionHash: string | null;
  readonly error: string | null;
}

type ClaimAllData = ReturnType<typeof dataOf>;

function dataOf(outcomes: readonly ClaimOutcome[], claimedSOL: number) {
  const claims: TriedClaim[] = [];
  const skipped: (TokenOfClaim & { reason: string; claimableSOL: number })[] = [];
  const unreadable: UnreadableClaim[] = [];
  for (const outcome of outcomes) {
    const { kind, tokenMint, ticker } = outcome;
    const dust = dustOf(outcome);
    if (dust !== null) {
      skipped.push({ tokenMint, ticker, reason: DUST, claimableSOL: lamportsToSol(dust) });
    } else if (kind === "claimed") {
      const { kind: _, ...receipt } = outcome;
      claims.push({ ...receipt, error: null });
    } else if (kind === "failed") {
      const { error } = explainError(outcome.error);
      claims.push({ tokenMint, ticker, claimedSOL: 0, transactionHash: null, error });
    } else if (kind === "unreadable") {
      unreadable.push({ tokenMint, ticker, error: outcome.reason });
    } else {
      const claimableSOL = kind === "nothing_to_claim" ? 0 : outcome.claimableSOL;
      skipped.push({ tokenMint, ticker, reason: kind, claimableSOL });
    }
  }
  const notRead = unreadable.length > 0 ? unreadable : undefined;
  return { claims, claimedSOL, skipped, unreadable: notRead };
}

const CLAIMS: readonly ColumnOf<TriedClaim>[] = [
  ["TICKER", ({ ticker }) => ticker],
  ["MINT", ({ tokenMint }) => tokenMint, "middle"],
  ["CLAIMED", ({ error, claimedSOL }) => (error === null ? solToLamports(claimedSOL) : null)],
  ["TRANSACTION", ({ transactionHash }) => transactionHash, "middle"],
];

function shownOf({ claims, skipped }: ClaimAllData): Pick<Result, "table" | "lines"> {
  const dust = skipped.filter(({ reason }) => reason === DUST);
  const names = dust.map(({ ticker, claimableSOL }) => `${ticker} (${solText(claimableSOL)})`);
  const left = `Skipped, a claim costs more than it pays: ${names.join(", ")}`;
  // The claims of one transaction have the same receivers.
  const paid = new Map(
    claims.map(({ transactionHash, receivers = [] }) => [transactionHash, receivers]),
  );
  const payouts = payoutLines([...paid.values()].flat()).map((line) => `Paid ${line}`);
  const failed = claims.flatMap(({ ticker, error }) => (error ? [`${ticker}: ${error}`] : []));
  const table = rowsOf(claims, CLAIMS, { none: "Nothing to claim.", total: true });
  return { table, lines: [...(dust.length > 0 ? [left] : []), ...failed, ...payouts] };
}

function failureOf(outcomes: readonly ClaimOutcome[]): CliError | undefined {
  const tried = outcomes.filter(({ kind }) => ["claimed", "failed", "not_tried"].includes(kind));
  const failures = tried.filter((outcome) => outcome.kind === "failed" && dustOf(outcome) === null);
  const last = failures.at(-1);
  if (last?.kind !== "failed") return undefined;
  const { code, error, hint, exitCode } = explainError(last.error);
  const message = `${failures.length} of ${tried.length} claims failed; ${last.ticker}: ${error}`;
  const again = [hint, "Run it again for the rest"].filter(Boolean).join(". ");
  return new CliError(code, message, { hint: again, exitCode });
}
