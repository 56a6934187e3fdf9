import { formatSol } from "@tokenctl/shared/sol";
import { type Clock, utcDay } from "../../base/clock.ts";
import type { DayBudget } from "../../domain/intake-limits.ts";
import type { SignedTransaction, WalletJournal } from "../../domain/journal.ts";
import { atHighestRent } from "../../solana/cluster-pace.ts";
import type { TransactionOutcome } from "../../solana/outcome.ts";
import { ChainUnavailableError, DailyBudgetSpentError, LaunchWalletError } from "../errors.ts";
import { type SendContext, type Sending, spentBy, storeAndSend } from "./transaction.ts";

/** The assumed cost of a launch in lamports until one is measured; above the usual cost. */
const UNMEASURED_LAUNCH = 30_000_000n;

export interface WalletLimits {
  /** The floor: no launch is sent that would leave less in the wallet. */
  readonly minWalletLamports: bigint;
  /** The most that launches may take from the wallet in a UTC day; null for no limit. */
  readonly maxDailySpendLamports: bigint | null;
}

type Expense = "launch" | "migration";

/** The launch wallet's balance, and the rent for each byte of an account, in lamports. */
export interface WalletReading {
  readonly walletLamports: bigint;
  readonly rentPerByte: bigint;
}

export interface MeasuredCost {
  readonly wallet: WalletReading;
  /** The cost without the priority fee. */
  readonly lamports: bigint;
  readonly priorityLamports: bigint;
  /**
   * Reads the wallet again after the reservation. Only this reading shows a launch that landed
   * after the first reading and was settled before the reservation.
   */
  readonly readAgain: () => Promise<WalletReading>;
  readonly expense?: Expense;
}

/**
 * Limits what launches take from the launch wallet, by its floor and by the day. The journals keep
 * the reservations; this object only remembers costs and explains refusals.
 */
export class WalletGuard {
  /** What the last launch cost without its priority fee. */
  #launchCost: bigint | null = null;
  #launchPriorityFee = 0n;
  #refusal: (balance: bigint) => string | null = () => null;

  constructor(
    private readonly options: {
      readonly address: string;
      /** Null if the wallet's lamports are worth nothing: then nothing is reserved. */
      readonly limits: WalletLimits | null;
      readonly clock: Clock;
    },
  ) {}

  measured(lamports: bigint): void {
    this.#launchCost = lamports;
  }

  get isMeasured(): boolean {
    return this.#launchCost !== null;
  }

  /**
   * Reserves lamports for a launch. Its journal decides, so that parallel launches, even on several
   * servers, cannot together exceed a limit. @throws {LaunchWalletError} if a limit refuses it
   */
  async reserve(
    journal: WalletJournal,
    { wallet, readAgain, expense = "launch", ...measured }: MeasuredCost,
  ): Promise<void> {
    const { priorityLamports } = measured;
    if (expense === "launch") {
      this.measured(measured.lamports);
      this.#launchPriorityFee = priorityLamports;
    }
    const { limits } = this.options;
    if (limits === null) return;
    const lamports = measured.lamports + priorityLamports;
    const { minWalletLamports, maxDailySpendLamports } = limits;
    const { walletLamports, rentPerByte } = wallet;
    // The rent may rise to the usual rate before this launch and the reserved ones land.
    const neededFor = (reserved: bigint) =>
      minWalletLamports + atHighestRent(lamports + reserved, rentPerByte);
    const outcome = await journal.reserve({
      lamports,
      walletLamports,
      minWalletLamports,
      maxDailyLamports: maxDailySpendLamports,
    });
    if (outcome.kind === "wallet_short") {
      const needed = neededFor(outcome.reserved);
      throw this.#tooShort(expense, walletLamports, { needed, enough: neededFor(0n) });
    }
    if (outcome.kind === "day_spent" && maxDailySpendLamports !== null) {
      throw this.#overLimit(expense, outcome.spent, maxDailySpendLamports);
    }
    if (outcome.kind === "reserved") {
      const needed = neededFor(outcome.reserved);
      try {
        const now = await readAgain();
        if (now.rentPerByte !== rentPerByte) {
          throw new ChainUnavailableError("The cluster's rent has just changed");
        }
        if (now.walletLamports < needed) {
          throw this.#tooShort(expense, now.walletLamports, { needed, enough: needed });
        }
      } catch (error) {
        await journal.settle(0n);
        throw error;
      }
    }
    if (expense === "launch") this.#refusal = () => null;
  }

  dayBudget(): DayBudget | null {
    const maxDailyLamports = this.options.limits?.maxDailySpendLamports ?? null;
    if (maxDailyLamports === null) return null;
    return { maxDailyLamports, launchLamports: this.#launchLamports };
  }

  /** @returns how many launches a balance above the floor pays for; null if they cost nothing */
  launchesOf(balance: bigint): number | null {
    if (this.options.limits === null) return null;
    if (balance < this.#floor) return 0;
    return Number((balance - this.#floor) / this.#launchLamports);
  }

  get #launchLamports(): bigint {
    return (this.#launchCost ?? UNMEASURED_LAUNCH) + this.#launchPriorityFee;
  }

  get #floor(): bigint {
    return this.options.limits?.minWalletLamports ?? 0n;
  }

  isUnderFloor(balance: bigint): boolean {
    return balance < this.#floor;
  }

  shortageError(balance: bigint, cause?: unknown): LaunchWalletError {
    return this.#tooShort("launch", balance, { needed: this.#floor, enough: balance + 1n, cause });
  }

  /** @returns why the next launch would be refused, judged by the last one; null if it would not */
  findProblem(balance: bigint): string | null {
    if (this.isUnderFloor(balance)) return this.#describe(balance, this.#floor);
    return this.#refusal(balance);
  }

  /**
   * Makes {@link findProblem} report a launch's shortage until the balance has grown. A migration
   * costs more than a launch, so its refusal says nothing about launches.
   */
  #tooShort(expense: Expense, balance: bigint, { needed, enough, cause }: Shortage) {
    if (expense === "launch") {
      this.#refusal = (now) => (now < enough ? this.#describe(now, needed) : null);
    }
    return new LaunchWalletError(this.#describe(balance, needed), cause);
  }

  #overLimit(expense: Expense, spent: bigint, limit: bigint): LaunchWalletError {
    const text = `The launch wallet paid ${formatSol(spent)} SOL today, and with the next transaction it would be more than the limit of ${formatSol(limit)} SOL a day: launches continue at 00:00 UTC, or with a higher limit`;
    const { clock } = this.options;
    const day = utcDay(clock.now());
    if (expense === "launch") this.#refusal = () => (utcDay(clock.now()) === day ? text : null);
    return new DailyBudgetSpentError(text);
  }

  #describe(balance: bigint, needed: bigint): string {
    const more = needed > balance ? `needs ${formatSol(needed)} SOL` : "needs more";
    return `The launch wallet ${this.options.address} holds ${formatSol(balance)} SOL and ${more}: send SOL to it`;
  }
}

interface Shortage {
  readonly needed: bigint;
  /** The balance at which the next launch may pass. */
  readonly enough: bigint;
  readonly cause?: unknown;
}

interface Spending<Signed extends SignedTransaction> extends Sending<Signed> {
  readonly journal: WalletJournal<SignedTransaction, Signed>;
  readonly cost: MeasuredCost;
  readonly sign: () => Promise<Signed>;
}

/**
 * Signs and sends a transaction that takes lamports from the launch wallet; first reserves them:
 *
 *     reserved ─── is not signed ───────────────▶ freed
 *         │
 *      signed ──── expired, or failed on chain ─▶ settled with what it took
 *         │
 *         └─────── landed, or unknown ──────────▶ reserved until the next try or the end
 * @throws what `WalletGuard.reserve` and {@link storeAndSend} throw
 */
export async function spend<Signed extends SignedTransaction>(
  chain: SendContext & { readonly guard: WalletGuard },
  { cost, sign, ...sending }: Spending<Signed>,
): Promise<TransactionOutcome> {
  const { journal, signal } = sending;
  await chain.guard.reserve(journal, cost);
  const signed = await sign().catch(async (error: unknown) => {
    await journal.settle(0n);
    throw error;
  });
  const { outcome } = await storeAndSend(chain, signed, sending);
  if (outcome.kind !== "landed") {
    await journal.settle(await spentBy(chain, signed, { outcome: outcome.kind, signal }));
  }
  return outcome;
}
