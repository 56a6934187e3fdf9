import { limits } from "@tokenctl/shared/limits";
import { lamportsToSol, solToLamports } from "@tokenctl/shared/sol";
import type { ClaimList, ClaimRecord } from "@tokenctl/shared/types";
import { ApiError, AuthenticationError } from "../api-errors.ts";
import { ClaimReceiptError, ClaimUnsettledError, NotApprovedError } from "../claim-errors.ts";
import {
  AbortError,
  ConnectionError,
  InvalidArgumentError,
  NonceError,
  TimeoutError,
  TokenctlError,
} from "../errors.ts";
import type {
  ClaimAllOptions,
  ClaimAllResult,
  ClaimManyResult,
  ClaimOptions,
  ClaimOutcome,
  ClaimResult,
  TokenListOptions,
} from "../options.ts";
import { lamports, receiversOf, refuseOthers } from "./arguments.ts";

interface ClaimingClient {
  claims(options: TokenListOptions): Promise<ClaimList>;
  claim(mint: string, options: ClaimOptions): Promise<ClaimResult>;
  claimMany(mints: readonly string[], options: ClaimOptions): Promise<ClaimManyResult>;
}

const MAX_CONCURRENCY = 16;

export async function claimAll(
  client: ClaimingClient,
  options: ClaimAllOptions,
): Promise<ClaimAllResult> {
  const { minLamports: least = 1, concurrency = 1, stopAt, onClaim, ...claiming } = options;
  const { approve, onRenew, to, ...call } = claiming;
  refuseOthers(call);
  receiversOf(to);
  if (!(Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= MAX_CONCURRENCY)) {
    throw new InvalidArgumentError(`concurrency must be 1 to ${MAX_CONCURRENCY}`);
  }
  const minLamports = lamports("minLamports", least);
  const { claims, unreadable = [] } = await client.claims({ ...call, received: true });
  const outcomes = new Map(claims.map((claim) => [claim, outcomeWithoutClaim(claim, minLamports)]));
  const wanted = claims.filter((claim) => outcomes.get(claim)?.kind === "not_tried");
  // A new receiver's first claim must pay the minimum of a wallet; later ones may pay less.
  if (to !== undefined) wanted.sort((a, b) => b.claimableSOL - a.claimableSOL);
  await claimWanted(client, options, { wanted, outcomes });
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

/** Claims the wanted tokens, and sets the outcome of each that it tried. */
async function claimWanted(
  client: ClaimingClient,
  { concurrency = 1, stopAt, onClaim, minLamports: _, ...claiming }: ClaimAllOptions,
  of: {
    readonly wanted: readonly ClaimRecord[];
    readonly outcomes: Map<ClaimRecord, ClaimOutcome>;
  },
): Promise<void> {
  const { wanted, outcomes } = of;
  let waiting = [...wanted];
  let begun = 0;
  let hasStopped = false;
  /** False after a failure, because one token that cannot be claimed fails its whole claim. */
  let together = true;
  const stopsAll = (error: unknown) =>
    endsAll(error) || claiming.signal?.aborted === true || stopAt?.(error) === true;

  async function claimTogether(first: ClaimRecord, group: readonly ClaimRecord[]): Promise<void> {
    try {
      onClaim?.(first, begun + 1, wanted.length);
      const mints = new Set(group.map(({ tokenMint }) => tokenMint));
      const receipt = await client.claimMany([...mints], claiming);
      const isTaken = ({ tokenMint }: ClaimRecord) => receipt.tokenMints.includes(tokenMint);
      const taken = group.filter(isTaken);
      begun += taken.length;
      for (const [record, outcome] of shareOut(receipt, taken)) outcomes.set(record, outcome);
      waiting = [...group.filter((record) => !isTaken(record)), ...waiting];
    } catch (error) {
      const endsAll = stopsAll(error);
      hasStopped ||= endsAll;
      together = false;
      // A second claim of tokens that may have been paid would find no fees, and hide the payment.
      const unsettled = error instanceof ClaimUnsettledError ? error.tokenMints : [];
      const failed = group.filter(({ tokenMint }) => unsettled.includes(tokenMint));
      if (endsAll && failed.length === 0) failed.push(first);
      begun += failed.length;
      for (const record of failed) outcomes.set(record, failure(record, error));
      waiting = [...group.filter((record) => !failed.includes(record)), ...waiting];
    }
  }

  async function claimOne(record: ClaimRecord): Promise<void> {
    const { tokenMint, ticker } = record;
    try {
      onClaim?.(record, ++begun, wanted.length);
      const { success: _, ...receipt } = await client.claim(tokenMint, claiming);
      outcomes.set(record, { kind: "claimed", tokenMint, ticker, ...receipt });
    } catch (error) {
      // Another claim took the fees after the list was read.
      if (error instanceof ApiError && error.code === "no_fees_to_claim") {
        outcomes.set(record, { kind: "nothing_to_claim", tokenMint, ticker });
        return;
      }
      hasStopped ||= stopsAll(error);
      outcomes.set(record, failure(record, error));
    }
  }

  /** @returns false if no token waits */
  async function claimNext(): Promise<boolean> {
    if (hasStopped) return false;
    // Takes only a share, so that work remains for the other workers.
    const share = Math.ceil(waiting.length / concurrency);
    const group = waiting.splice(0, together ? Math.min(share, limits.claimedTokens.max) : 1);
    const [first] = group;
    if (first === undefined) return false;
    if (group.length > 1) await claimTogether(first, group);
    else await claimOne(first);
    return true;
  }

  const [greatest] = wanted;
  if (claiming.to !== undefined && greatest !== undefined) {
    while (outcomes.get(greatest)?.kind === "not_tried" && (await claimNext()));
  }
  // A worker that returns tokens to the queue continues with them itself.
  const work = async () => {
    while (await claimNext());
  };
  await Promise.all(Array.from({ length: concurrency }, work));
}

function failure({ tokenMint, ticker }: ClaimRecord, cause: unknown): ClaimOutcome {
  const error = cause instanceof TokenctlError ? cause : new NotApprovedError(cause);
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
const FINAL: readonly (abstract new (...given: never[]) => Error)[] = [
  AbortError,
  AuthenticationError,
  ClaimReceiptError,
  ConnectionError,
  NonceError,
  TimeoutError,
];

function endsAll(error: unknown): boolean {
  if (error instanceof ClaimUnsettledError) return endsAll(error.cause);
  return FINAL.some((type) => error instanceof type);
}
