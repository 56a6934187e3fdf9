import { PublicKey, SystemProgram, type TransactionInstruction } from "@solana/web3.js";
import type { Clock } from "../base/clock.ts";
import type { TipTerms } from "../domain/tip.ts";

/** How long a signer that refused a tip is not asked for another, in milliseconds. */
const REFUSED_FOR_MS = 600_000;

/** Pays the tips, as long as the wallet's signer signs them. */
export class Tips {
  #turn = 0;
  #refusedUntil = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly terms: TipTerms,
    private readonly clock: Pick<Clock, "elapsed">,
  ) {}

  get lamports(): bigint {
    return this.terms.lamports;
  }

  /** @returns the next tip; null while the wallet's signer signs none */
  next(payer: PublicKey): TransactionInstruction | null {
    const { accounts, lamports } = this.terms;
    const account = accounts[this.#turn++ % accounts.length];
    if (account === undefined || this.clock.elapsed() < this.#refusedUntil) return null;
    const toPubkey = new PublicKey(account);
    return SystemProgram.transfer({ fromPubkey: payer, toPubkey, lamports });
  }

  refuse(): void {
    this.#refusedUntil = this.clock.elapsed() + REFUSED_FOR_MS;
  }
}
