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
  const { approve, onRenew, to, force: _, ...call } = claiming;
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
  for (const [claim, outcome] of await new ClaimQueue(client, options, wanted).run()) {
    outcomes.set(claim, outcome);
  }
  const paid = [...outcomes.values()].reduce(
    (sum, outcome) => (outcome.kind === "claimed" ? sum + solToLamports(outcome.claimedSOL) : sum),
    0n,
  );
  return {
    outcomes: [
      ...outcomes.values(),
      ...unreadable.map(({ error: reason, ...token }) => ({
        kind: "unreadable" as const,
        ...token,
        reason,
      })),
    ],
    claimedSOL: lamportsToSol(paid),
  };
}

/** The tokens that wait for a claim, and the outcomes of the others. */
class ClaimQueue {
  readonly #count: number;
  readonly #claimOptions: ClaimOptions;
  readonly #outcomes = new Map<ClaimRecord, ClaimOutcome>();
  #waiting: readonly ClaimRecord[];
  #begun = 0;
  #hasStopped = false;
  /** False after a failure, because one token that cannot be claimed fails its whole claim. */
  #together = true;

  constructor(
    private readonly client: ClaimingClient,
    private readonly options: ClaimAllOptions,
    wanted: readonly ClaimRecord[],
  ) {
    this.#count = wanted.length;
    const { signal, approve, onRenew, to, force } = options;
    this.#claimOptions = { signal, approve, onRenew, to, force };
    this.#waiting = wanted;
  }

  async run(): Promise<ReadonlyMap<ClaimRecord, ClaimOutcome>> {
    const { concurrency = 1, to } = this.options;
    const [greatest] = this.#waiting;
    if (to !== undefined && greatest !== undefined) {
      while (!this.#outcomes.has(greatest) && (await this.#claimNext(concurrency)));
    }
    // A worker that returns tokens to the queue continues with them itself.
    const work = async () => {
      while (await this.#claimNext(concurrency));
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    return this.#outcomes;
  }

  /** @returns false if no token waits */
  async #claimNext(concurrency: number): Promise<boolean> {
    // Takes only a share, so that work remains for the other workers.
    const share = Math.ceil(this.#waiting.length / concurrency);
    const group = this.#take(this.#together ? Math.min(share, limits.claimedTokens.max) : 1);
    const [first] = group;
    if (first === undefined) return false;
    if (group.length > 1) await this.#claimTogether(first, group);
    else await this.#claimOne(first);
    return true;
  }

  #take(count: number): readonly ClaimRecord[] {
    if (this.#hasStopped) return [];
    const taken = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    return taken;
  }

  #giveBack(records: readonly ClaimRecord[]): void {
    this.#waiting = [...records, ...this.#waiting];
  }

  async #claimTogether(first: ClaimRecord, group: readonly ClaimRecord[]): Promise<void> {
    const { onClaim } = this.options;
    try {
      onClaim?.(first, this.#begun + 1, this.#count);
      const mints = new Set(group.map(({ tokenMint }) => tokenMint));
      const receipt = await this.client.claimMany([...mints], this.#claimOptions);
      const isTaken = ({ tokenMint }: ClaimRecord) => receipt.tokenMints.includes(tokenMint);
      const taken = group.filter(isTaken);
      this.#begun += taken.length;
      for (const [record, outcome] of shareOut(receipt, taken)) this.#outcomes.set(record, outcome);
      this.#giveBack(group.filter((record) => !isTaken(record)));
    } catch (error) {
      const endsAll = this.#endsAll(error);
      this.#hasStopped ||= endsAll;
      this.#together = false;
      // A second claim of tokens that may have been paid would find no fees, and hide the payment.
      const unsettled = error instanceof ClaimUnsettledError ? error.tokenMints : [];
      const failed = group.filter(({ tokenMint }) => unsettled.includes(tokenMint));
      if (endsAll && failed.length === 0) failed.push(first);
      this.#begun += failed.length;
      for (const record of failed) this.#outcomes.set(record, failure(record, error));
      this.#giveBack(group.filter((record) => !failed.includes(record)));
    }
  }

  async #claimOne(record: ClaimRecord): Promise<void> {
    const { tokenMint, ticker } = record;
    const { onClaim } = this.options;
    try {
      onClaim?.(record, ++this.#begun, this.#count);
      const { success: _, ...receipt } = await this.client.claim(tokenMint, this.#claimOptions);
      this.#outcomes.set(record, { kind: "claimed", tokenMint, ticker, ...receipt });
    } catch (error) {
      // Another claim took the fees after the list was read.
      if (error instanceof ApiError && error.code === "no_fees_to_claim") {
        this.#outcomes.set(record, { kind: "nothing_to_claim", tokenMint, ticker });
        return;
      }
      this.#hasStopped ||= this.#endsAll(error);
      this.#outcomes.set(record, failure(record, error));
    }
  }

  #endsAll(error: unknown): boolean {
    const { signal, stopAt = () => false } = this.options;
    return endsAll(error) || signal?.aborted === true || stopAt(error);
  }
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
