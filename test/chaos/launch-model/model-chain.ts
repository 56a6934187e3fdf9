import type { LaunchAttempt, LaunchOrder } from "../../../server/src/launchpad/launchpad.ts";

/** For how many blocks a transaction can land. */
const VALID_BLOCKS = 3;

/** A signed launch, as the chain knows it. */
export interface Transaction {
  readonly attempt: LaunchAttempt;
  readonly eventId: string;
  readonly wallet: string;
  /** The UTC day by the service's clock when it was stored; null before. */
  day: string | null;
  isSent: boolean;
  outcome: "landed" | "failed" | null;
}

export type TransactionOutcome = "landed" | "failed" | "expired";

/**
 * A chain of nothing but launches. It protects from less than a real one does: every transaction
 * makes a mint of its own, so that a launch sent twice is a token deployed twice.
 */
export class ModelChain {
  readonly transactions: Transaction[] = [];
  #height = 0;

  sign({ eventId, wallet }: LaunchOrder): Transaction {
    const number = this.transactions.length;
    const signature = `signature-${number}`;
    const attempt: LaunchAttempt = {
      tokenMint: `mint-${number}`,
      poolAddress: `pool-${number}`,
      signature,
      transaction: Buffer.from(signature),
      lastValidBlockHeight: this.#height + VALID_BLOCKS,
    };
    const signed = { attempt, eventId, wallet, day: null, isSent: false, outcome: null };
    this.transactions.push(signed);
    return signed;
  }

  /** Takes the bytes of a transaction. Sent again, or too late, it changes nothing. */
  send({ transaction }: LaunchAttempt): void {
    const signature = Buffer.from(transaction).toString();
    const known = this.transactions.find(({ attempt }) => attempt.signature === signature);
    if (known && this.#isValid(known)) known.isSent = true;
  }

  /** @returns null while it is open */
  outcomeOf({ signature }: LaunchAttempt): TransactionOutcome | null {
    const known = this.transactions.find(({ attempt }) => attempt.signature === signature);
    if (!known) return null;
    return known.outcome ?? (this.#isValid(known) ? null : "expired");
  }

  /** Those that wait for a block, or have been in one without failing. */
  get effective(): Transaction[] {
    return this.transactions.filter(
      (each) =>
        each.outcome === "landed" || (each.isSent && each.outcome === null && this.#isValid(each)),
    );
  }

  /** Those that wait for a block. */
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
