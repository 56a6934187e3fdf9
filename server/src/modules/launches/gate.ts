import { formatSol, lamportsToSol } from "@tokenctl/shared/sol";
import { ServiceError } from "../../base/service-error.ts";
import { NOT_PAUSED, type PauseReason, pauseError } from "../../http/pauses.ts";
import {
  type AdmissionRefusal,
  type AdmissionStore,
  admissionRefusal,
  inviteHash,
} from "../../store/admission.ts";
import type { IntakeLimits, Objection } from "../../store/launch-intake.ts";
import { GroupCommit } from "./group-commit.ts";

/** What agents' wallets hold. */
export interface AgentFunds {
  /** What a wallet must hold to launch; lamports. */
  readonly minLamports: bigint;
  /** @returns lamports of each wallet; of 100 wallets at most */
  read(wallets: readonly string[]): Promise<readonly bigint[]>;
}

/** Accounts that one request to a node may read. */
const READ_AT_ONCE = 100;

export interface LaunchGateOptions {
  readonly pauseReason?: PauseReason;
  /** Null if agents need to hold nothing. */
  readonly funds?: AgentFunds | null;
}

/** A reason to refuse a launch, whatever the database says. */
export interface Objected {
  readonly code: Objection;
  readonly error: ServiceError;
}

/**
 * Decides whom the service serves now. A launch asks for an objection, and the store decides on the rest
 * in the transaction that stores it; who only checks a launch asks for all reasons.
 */
export class LaunchGate {
  readonly #pauseReason: PauseReason;
  readonly #minLamports: bigint;
  readonly #balances: GroupCommit<string, bigint> | null;

  constructor({ pauseReason = NOT_PAUSED, funds = null }: LaunchGateOptions = {}) {
    this.#pauseReason = pauseReason;
    this.#minLamports = funds?.minLamports ?? 0n;
    this.#balances =
      funds && new GroupCommit((wallets) => funds.read(wallets), { maxBatch: READ_AT_ONCE });
  }

  /**
   * Why no launch of this wallet is accepted now: `paused`, then `agent_balance_low`. If the balance
   * cannot be read there is no objection: the worker reads it before it starts the launch.
   */
  async objection(wallet: string): Promise<Objected | null> {
    const paused = pauseError("launches", this.#pauseReason);
    return paused ? { code: "paused", error: paused } : await this.#shortOfFunds(wallet);
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

  /**
   * All reasons for which a launch of this wallet would be refused now, but those that are counted and the
   * ticker. Changes nothing.
   *
   * @param inviteCode of the request; null without one
   */
  async refusals(
    wallet: string,
    inviteCode: string | null,
    store: Pick<AdmissionStore, "standing" | "isRedeemable">,
    { admission }: Pick<IntakeLimits, "admission">,
  ): Promise<GateRefusals> {
    const paused = pauseError("launches", this.#pauseReason);
    const short = await this.#shortOfFunds(wallet);
    const isCodeGood =
      inviteCode === null || admission !== "invite"
        ? null
        : await store.isRedeemable(inviteHash(inviteCode));
    return {
      objections: [paused, short?.error ?? null].filter((error) => error !== null),
      admission: admissionRefusal(await store.standing(wallet), { admission, isCodeGood }),
    };
  }
}

/** Why a launch would be refused, whoever else launches. */
export interface GateRefusals {
  /** In the order in which launches are refused. */
  readonly objections: readonly ServiceError[];
  readonly admission: AdmissionRefusal | null;
}
