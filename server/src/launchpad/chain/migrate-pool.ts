import type { WalletJournal } from "../../domain/journal.ts";
import type { TokenRef } from "../../domain/token.ts";
import { describeError } from "../../solana/transaction-error.ts";
import { ChainUnavailableError, TokenUnreadableError } from "../errors.ts";
import type { CurveProgress, MigrationProgram } from "../pool-program.ts";
import { withRpcErrors } from "./cluster.ts";
import type { PayingContext } from "./context.ts";
import { readLaunchState } from "./launch-state.ts";
import { draftOwn, finish, planOwn, signOwn, spentBy, stopped } from "./transaction.ts";
import { spend } from "./wallet-guard.ts";

export type PoolKeeper = ReturnType<typeof poolKeeper>;

interface MigrateOptions {
  /** Its `settle` also forgets what was signed. */
  readonly journal: WalletJournal;
  /** Whether it may sign a transaction; otherwise it only finishes a signed one. */
  readonly maySign: boolean;
  readonly signal: AbortSignal;
}

export function poolKeeper(chain: PayingContext, program: MigrationProgram) {
  const readProgress = (tokens: readonly TokenRef[]) =>
    withRpcErrors(() => program.readProgress(tokens));

  const readOne = async (token: TokenRef): Promise<CurveProgress> => {
    const [progress] = await readProgress([token]);
    if (progress && !("unreadable" in progress)) return progress;
    throw new TokenUnreadableError(progress?.unreadable ?? "The curve cannot be read");
  };

  /**
   * Migrates a complete curve. It is safe to call again after a crash or a failure: it first finds
   * the outcome of what the journal holds, and two of its transactions can never both land.
   * @returns whether the curve has migrated, even by another wallet
   * @throws {TokenUnreadableError} if the service cannot migrate this curve; {@link
   * LaunchWalletError} if the launch wallet cannot pay, or the day's limit is reached
   */
  async function migrate(token: TokenRef, { journal, maySign, signal }: MigrateOptions) {
    const { latest } = journal;
    const earlier = latest && (await finish(chain, latest, { purpose: "migrate", signal }));
    if (earlier?.kind === "landed") return landed(chain);
    // Without a stored attempt, a process died after it reserved lamports and before it signed.
    const ended = latest && earlier && { outcome: earlier.kind, signal };
    await journal.settle(ended ? await spentBy(chain, latest, ended) : 0n);

    const { isMigrated, completedAt } = await readOne(token);
    if (isMigrated) return true;
    if (completedAt === null || !maySign) return false;
    const parts = await withRpcErrors(() => program.migration(token));
    const wallet = await readLaunchState(chain, []);
    const { slot, walletLamports } = wallet;
    if (chain.guard.isUnderFloor(walletLamports)) throw chain.guard.shortageError(walletLamports);
    const draft = await draftOwn(chain, parts, slot);
    const { error, instructions, logs, costLamports } = draft.simulation;
    if (error !== null) {
      throw new ChainUnavailableError(
        `The chain refuses the migration (${describeError(error, instructions)})`,
        { error, logs },
      );
    }
    const plan = await planOwn(chain, draft, earlier?.kind === "expired");
    if (signal.aborted) throw stopped();
    const outcome = await spend(chain, {
      purpose: "migrate",
      journal,
      signal,
      cost: {
        wallet,
        lamports: costLamports,
        priorityLamports: plan.priorityLamports,
        readAgain: () => readLaunchState(chain, [], { minContextSlot: draft.simulation.slot }),
        expense: "migration",
      },
      async sign() {
        await chain.crashPoint?.("migrate.reserved");
        return signOwn(chain, plan, "migrate");
      },
    });
    if (outcome.kind === "landed") return landed(chain);
    if (outcome.kind === "expired") {
      throw new ChainUnavailableError("The migration's transaction expired before it landed");
    }
    // It may have failed because another wallet was faster.
    if ((await readOne(token)).isMigrated) return true;
    throw new ChainUnavailableError(
      `The migration's transaction failed on chain (${describeError(outcome.error)})`,
      outcome.error,
    );
  }

  return { readProgress, migrate };
}

async function landed(chain: PayingContext): Promise<true> {
  await chain.crashPoint?.("migrate.landed");
  return true;
}
