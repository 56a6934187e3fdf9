import type { LaunchApproval } from "@tokenctl/sdk";
import { formatSol, solToLamports } from "@tokenctl/shared/sol";
import { Refusal } from "./refusal.ts";

const ONLY_OWNER =
  "Only the person who starts this MCP server can allow more, with --max-launch-cost-sol.";

export interface PaymentLimits {
  /** Lamports that one launch may cost. */
  readonly perLaunch: bigint;
  readonly launchesPerDay: number;
}

/**
 * Limits what the wallet pays for launches: for each one, and for all that this process signs in a UTC day,
 * whatever the service says. A mint is created once, so a launch that is signed again counts once.
 */
export class LaunchPayments {
  readonly #limits: PaymentLimits;
  readonly #now: () => number;
  #day = "";
  /** Lamports, by mint. */
  #signed = new Map<string, bigint>();

  constructor(limits: PaymentLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** SOL that one launch may cost, in plain digits. */
  get maxCostSOL(): string {
    return formatSol(this.#limits.perLaunch);
  }

  /** @throws {Refusal} `launch_too_dear` if the amount alone is more than a launch may cost */
  check(sol = 0): void {
    if (solToLamports(sol) <= this.#limits.perLaunch) return;
    const text = `It would cost ${formatSol(solToLamports(sol))} SOL, more than the ${this.maxCostSOL} SOL allowed`;
    throw new Refusal("launch_too_dear", text, ONLY_OWNER);
  }

  /** Counts a launch that is about to be signed. @throws {Refusal} if it may not be */
  approve({ tokenMint, costSOL }: Pick<LaunchApproval, "tokenMint" | "costSOL">): void {
    this.check(costSOL.total);
    const today = new Date(this.#now()).toISOString().slice(0, 10);
    if (today !== this.#day) this.#signed = new Map();
    this.#day = today;
    const signed = new Map(this.#signed).set(tokenMint, solToLamports(costSOL.total));
    const total = [...signed.values()].reduce((sum, cost) => sum + cost, 0n);
    const { perLaunch, launchesPerDay } = this.#limits;
    if (total > perLaunch * BigInt(launchesPerDay)) {
      const text = `Not signed: the launches of this UTC day would cost ${formatSol(total)} SOL, more than ${launchesPerDay} times the ${this.maxCostSOL} SOL allowed`;
      throw new Refusal("launches_used_up", text, ONLY_OWNER);
    }
    this.#signed = signed;
  }
}
