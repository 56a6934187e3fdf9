import { formatSol, lamportsToSol } from "@tokenctl/shared/sol";
import { ServiceError } from "../../base/service-error.ts";
import type { Objection } from "../../domain/intake.ts";
import { NOT_PAUSED, type PauseReason, pauseError } from "../../http/endpoint.ts";
import { GroupCommit } from "./group-commit.ts";

export interface AgentFunds {
  readonly minLamports: bigint;
  read(wallets: readonly string[]): Promise<readonly bigint[]>;
}

const READS = { maxInFlight: 1, maxBatch: 100 };

export interface LaunchGateOptions {
  readonly pauseReason?: PauseReason;
  readonly funds?: AgentFunds | null;
}

/** A reason to refuse a launch, whatever the database says. */
export interface Objected {
  readonly code: Objection;
  readonly error: ServiceError;
}

export class LaunchGate {
  readonly #pauseReason: PauseReason;
  readonly #minLamports: bigint;
  readonly #balances: GroupCommit<string, bigint> | null;

  constructor({ pauseReason = NOT_PAUSED, funds = null }: LaunchGateOptions = {}) {
    this.#pauseReason = pauseReason;
    this.#minLamports = funds?.minLamports ?? 0n;
    this.#balances = funds && new GroupCommit((wallets) => funds.read(wallets), READS);
  }

  /**
   * Why no launch of this wallet is accepted now: `paused`, then `agent_balance_low`. If the balance
   * cannot be read there is no objection: the worker reads it before it starts the launch.
   */
  async objections(wallet: string): Promise<Objected[]> {
    return [this.#paused(), await this.#shortOfFunds(wallet)].filter((it) => it !== null);
  }

  async objection(wallet: string): Promise<Objected | null> {
    return this.#paused() ?? (this.#balances && (await this.#shortOfFunds(wallet)));
  }

  #paused(): Objected | null {
    const error = pauseError("launches", this.#pauseReason);
    return error && { code: "paused", error };
  }

  async #shortOfFunds(wallet: string): Promise<Objected | null> {
    const balance = await this.#balances?.add(wallet).catch(() => null);
    if (balance === undefined || balance === null || balance >= this.#minLamports) return null;
    const missing = formatSol(this.#minLamports - balance);
    const error = new ServiceError("agent_balance_low", {
      facts: { requiredSOL: lamportsToSol(this.#minLamports), balanceSOL: lamportsToSol(balance) },
      advice: `Send at least ${missing} SOL to ${wallet}, and keep it there until the launch has ended.`,
    });
    return { code: "agent_balance_low", error };
  }
}
