import type { ClaimCost } from "@tokenctl/sdk";
import { formatSol } from "@tokenctl/shared/sol";
import { CliError } from "../errors.ts";

/** The code of the error for a claim that would exceed the budget. */
export const BUDGET_EXHAUSTED = "budget_exhausted";

/**
 * Limits what all claims of a command may cost, in network fees and in rent of accounts. A claim
 * counts with the most that it can cost, from its signature on: a server that says that it failed
 * may lie.
 */
export class ClaimBudget {
  readonly #lamports: bigint;
  #spent = 0n;

  constructor(lamports: bigint) {
    this.#lamports = lamports;
  }

  /** Lamports that later claims may cost. */
  get left(): bigint {
    return this.#lamports - this.#spent;
  }

  /** @throws {CliError} `budget_exhausted` if not enough is left for the claim */
  spend({ networkFeeLamports, rentLamports }: ClaimCost): void {
    const cost = networkFeeLamports + rentLamports;
    if (this.#spent + cost > this.#lamports) {
      const [most, spent, allowed] = [cost, this.#spent, this.#lamports].map(formatSol);
      throw new CliError(
        BUDGET_EXHAUSTED,
        `Not signed: this claim may cost ${most} SOL and those before it ${spent} SOL, more than the ${allowed} SOL allowed`,
        { hint: "Run it again for the rest, or allow more with --max-total-fee-sol" },
      );
    }
    this.#spent += cost;
  }
}
