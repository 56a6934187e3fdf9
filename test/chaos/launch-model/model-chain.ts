import type { LaunchAttempt, NewAttempt } from "../../../server/src/domain/journal.ts";
import type { LaunchOrder } from "../../../server/src/domain/launch.ts";

const VALID_BLOCKS = 3;

export interface Transaction {
  readonly attempt: NewAttempt;
  readonly eventId: string;
  readonly wallet: string;
  /** The UTC day in which it was stored, by the service's clock; null before. */
  day: string | null;
  isSent: boolean;
  outcome: "landed" | "failed" | null;
}

export type TransactionOutcome = "landed" | "failed" | "expired";

const FEE = { startBps: 100, endBps: 100, creatorSharePercent: 100 };

/**
 * A chain that holds only launches. It protects less than a real one: every transaction creates a
 * mint of its own, so that a launch that is sent twice is deployed twice.
 */
export class ModelChain {
  readonly transactions: Transaction[] = [];
  #height = 0;

  sign({ eventId, wallet }: LaunchOrder): Transaction {
    const number = this.transactions.length;
    const signature = `signature-${number}`;
    const attempt: NewAttempt = {
      tokenMint: `mint-${number}`,
      poolAddress: `pool-${number}`,
      signature,
      transaction: Buffer.from(signature),
      lastValidBlockHeight: this.#height + VALID_BLOCKS,
      terms: { config: null, fees: { bondingCurve: FEE, liquidityPool: FEE }, curve: [] },
    };
    const signed = { attempt, eventId, wallet, day: null, isSent: false, outcome: null };
    this.transactions.push(signed);
    return signed;
  }

  /** Accepts the bytes of a transaction. If it is sent again or too late, nothing changes. */
  send({ transaction }: LaunchAttempt): void {
    const signature = Buffer.from(transaction).toString();
    const known = this.transactions.find(({ attempt }) => attempt.signature === signature);
    if (known && this.#isValid(known)) known.isSent = true;
  }

  /** @returns null while it is undecided */
  outcomeOf({ signature }: LaunchAttempt): TransactionOutcome | null {
    const known = this.transactions.find(({ attempt }) => attempt.signature === signature);
    if (!known) return null;
    return known.outcome ?? (this.#isValid(known) ? null : "expired");
  }

  get effective(): Transaction[] {
    return this.transactions.filter(
      (each) =>
        each.outcome === "landed" || (each.isSent && each.outcome === null && this.#isValid(each)),
    );
  }

  hasSigned(eventId: string): boolean {
    return this.transactions.some((each) => each.eventId === eventId && each.day !== null);
  }

  get waiting(): Transaction[] {
    return this.effective.filter(({ outcome }) => outcome === null);
  }

  passBlocks(count: number): void {
    this.#height += count;
  }

  #isValid({ attempt }: Transaction): boolean {
    return this.#height <= attempt.lastValidBlockHeight;
  }
}
