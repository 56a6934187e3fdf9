import { limits } from "@tokenctl/shared/limits";
import { lamportsToSol, solToLamports } from "@tokenctl/shared/sol";
import type { ClaimList, ClaimRecord } from "@tokenctl/shared/types";
import { ApiError } from "../api-error.ts";
import type { ClaimCost } from "../claim-check/terms.ts";
import { ClaimUnsettledError, OverLimitError } from "../claim-errors.ts";
import type { TokenctlErrorCode } from "../error-codes.ts";
import { TokenctlError } from "../errors.ts";
import { hasCode } from "../has-code.ts";
import type {
  ClaimAllOptions,
  ClaimAllResult,
  ClaimManyResult,
  ClaimOptions,
  ClaimOutcome,
  ClaimResult,
  TokenListOptions,
} from "../options.ts";
import { lamports, receiversOf, refuseOthers, solAmount } from "./arguments.ts";
import { notApproved } from "./sign-and-submit.ts";

interface ClaimingClient {
  claims(options: TokenListOptions): Promise<ClaimList>;
  claim(mint: string, options: ClaimOptions): Promise<ClaimResult>;
  claimMany(mints: readonly string[], options: ClaimOptions): Promise<ClaimManyResult>;
}

export async function claimAll(
  client: ClaimingClient,
  options: ClaimAllOptions,
): Promise<ClaimAllResult> {
  const { minLamports: least = 1, stopAt, maxCostSOL = 0.02, ...claiming } = options;
  const { approve, to, ...call } = claiming;
  refuseOthers(call);
  receiversOf(to);
  const minLamports = lamports("minLamports", least);
  const allowed = solAmount("maxCostSOL", maxCostSOL);
  let needed = 0n;
  const count = ({ networkFeeLamports, rentLamports }: ClaimCost) => {
    needed += networkFeeLamports + rentLamports;
    if (needed > allowed) throw new OverLimitError("maxCostSOL", { needed, allowed });
  };
  const { claims, unreadable = [] } = await client.claims({ ...call, received: true });
  const outcomes = new Map(claims.map((claim) => [claim, outcomeWithoutClaim(claim, minLamports)]));
  const wanted = claims.filter((claim) => outcomes.get(claim)?.kind === "not_tried");
  // A new receiver's first claim must pay the minimum of a wallet; later ones may pay less.
  if (to !== undefined) wanted.sort((a, b) => b.claimableSOL - a.claimableSOL);
  await claimWanted(client, { ...options, approve: approve ?? count }, { wanted, outcomes });
  const ended = [...outcomes.values()];
  const paid = ended.flatMap((one) =>
    one.kind === "claimed" ? solToLamports(one.claimedSOL) : [],
  );
  const unread = unreadable.map(
    ({ error: reason, ...token }): ClaimOutcome => ({ kind: "unreadable", ...token, reason }),
  );
  const claimedSOL = lamportsToSol(paid.reduce((sum, one) => sum + one, 0n));
  return { outcomes: [...ended, ...unread], claimedSOL };
}

async function claimWanted(
  client: ClaimingClient,
  { stopAt, minLamports: _, maxCostSOL: __, ...claiming }: ClaimAllOptions,
  of: {
    readonly wanted: readonly ClaimRecord[];
    readonly outcomes: Map<ClaimRecord, ClaimOutcome>;
  },
): Promise<void> {
  const { wanted, outcomes } = of;
  let waiting = wanted;
  /** 1 after a failure, because one token that cannot be claimed fails its whole claim. */
  let most: number = limits.claimedTokens.max;
  while (waiting[0] !== undefined) {
    const [first] = waiting;
    const group = waiting.slice(0, most);
    const ended = new Map<ClaimRecord, ClaimOutcome>();
    let isOver = false;
    try {
      for (const [record, outcome] of await claimGroup(client, group, claiming)) {
        ended.set(record, outcome);
      }
    } catch (error) {
      isOver = endsAll(error) || claiming.signal?.aborted === true || stopAt?.(error) === true;
      most = 1;
      // A second claim of tokens that may have been paid would find no fees, and hide the payment.
      const unsettled = error instanceof ClaimUnsettledError ? error.tokenMints : [];
      for (const record of group) {
        const isTried = group.length === 1 || unsettled.includes(record.tokenMint);
        if (isTried) ended.set(record, failure(record, error));
      }
      if (isOver && ended.size === 0) ended.set(first, failure(first, error));
    }
    for (const [record, outcome] of ended) outcomes.set(record, outcome);
    if (isOver) return;
    waiting = waiting.filter((record) => !ended.has(record));
  }
}

async function claimGroup(
  client: ClaimingClient,
  group: readonly ClaimRecord[],
  options: ClaimOptions,
): Promise<(readonly [ClaimRecord, ClaimOutcome])[]> {
  const [only, second] = group;
  if (only !== undefined && second === undefined) {
    const { tokenMint, ticker } = only;
    const { success: _, ...receipt } = await client.claim(tokenMint, options);
    return [[only, { kind: "claimed", tokenMint, ticker, ...receipt }]];
  }
  const mints = new Set(group.map(({ tokenMint }) => tokenMint));
  const receipt = await client.claimMany([...mints], options);
  const taken = group.filter(({ tokenMint }) => receipt.tokenMints.includes(tokenMint));
  return shareOut(receipt, taken);
}

function failure({ tokenMint, ticker }: ClaimRecord, cause: unknown): ClaimOutcome {
  // Another claim took the fees after the list was read.
  if (hasCode(cause, "no_fees_to_claim")) return { kind: "nothing_to_claim", tokenMint, ticker };
  const error = cause instanceof TokenctlError ? cause : notApproved(cause);
  return { kind: "failed", tokenMint, ticker, error };
}

/** Returns the outcomes of one claim's tokens: each has its listed fees, the last one the rest. */
function shareOut(
  { claimedSOL, transactionHash, verified, receivers }: ClaimManyResult,
  taken: readonly ClaimRecord[],
): (readonly [ClaimRecord, ClaimOutcome])[] {
  let left = solToLamports(claimedSOL);
  return taken.map((record, index) => {
    const listed = solToLamports(record.claimableSOL);
    const lamports = index === taken.length - 1 || listed > left ? left : listed;
    left -= lamports;
    const { tokenMint, ticker } = record;
    const outcome: ClaimOutcome = {
      kind: "claimed",
      tokenMint,
      ticker,
      claimedSOL: lamportsToSol(lamports),
      transactionHash,
      ...(verified !== undefined && { verified }),
      ...(receivers && { receivers }),
    };
    return [record, outcome];
  });
}

/** Returns a token's outcome before its claim: `not_tried` if it should be claimed. */
function outcomeWithoutClaim(claim: ClaimRecord, minLamports: bigint): ClaimOutcome {
  const { tokenMint, ticker, claimableSOL } = claim;
  const lamports = solToLamports(claimableSOL);
  if (lamports === 0n) return { kind: "nothing_to_claim", tokenMint, ticker };
  const kind = lamports < minLamports ? "below_minimum" : "not_tried";
  return { kind, tokenMint, ticker, claimableSOL };
}

/** After these errors, further claims would fail too or are not safe. */
const FINAL: readonly TokenctlErrorCode[] = [
  "aborted",
  "connection_failed",
  "nonce_refused",
  "receipt_mismatch",
  "timeout",
];

function endsAll(error: unknown): boolean {
  if (error instanceof ClaimUnsettledError) return endsAll(error.cause);
  if (error instanceof OverLimitError) return error.limit === "maxCostSOL";
  if (error instanceof ApiError) return error.status === 401;
  return error instanceof TokenctlError && FINAL.includes(error.code);
}
