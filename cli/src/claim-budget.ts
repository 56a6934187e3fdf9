import type { ClaimCost } from "@tokenctl/sdk";
import { formatSol } from "@tokenctl/shared/sol";
import { CliError } from "./errors.ts";

export const BUDGET_EXHAUSTED = "budget_exhausted";

/** Limits the fees and rent of a command's claims. A claim counts in full once it is signed. */
export class ClaimBudget {
  #spent = 0n;

  constructor(private readonly lamports: bigint) {}

  get left(): bigint {
    return this.lamports - this.#spent;
  }

  /** @throws {CliError} `budget_exhausted` if the rest of the budget does not cover the claim */
  spend({ networkFeeLamports, rentLamports }: ClaimCost): void {
    const cost = networkFeeLamports + rentLamports;
    if (this.#spent + cost > this.lamports) {
      const [most, spent, allowed] = [cost, this.#spent, this.lamports].map(formatSol);
      const message = `Not signed: this claim may cost ${most} SOL and earlier ones ${spent} SOL, more than the ${allowed} SOL allowed`;
      const hint = "Run it again for the rest, or allow more with --max-total-fee-sol";
      throw new CliError(BUDGET_EXHAUSTED, message, { hint });
    }
    this.#spent += cost;
  }
}
