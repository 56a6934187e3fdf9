import { networkFeeOf } from "../../solana/network-fee.ts";
import type { Simulation } from "../../solana/simulate.ts";
import { describeError } from "../../solana/transaction-error.ts";
import { ChainUnavailableError, TokenUnreadableError } from "../errors.ts";
import type { TokenRef } from "../launchpad.ts";
import type {
  CurveProgress,
  MigrationAttempt,
  MigrationJournal,
  MigrationProgram,
} from "../pool-keeper.ts";
import type { LaunchInstructions } from "../pool-program.ts";
import { confirm, resend, stopped } from "./confirm.ts";
import type { ChainContext } from "./context.ts";
import { type LaunchState, readLaunchState } from "./launch-state.ts";
import { planOwn, signOwn, simulateOwn } from "./own-transaction.ts";
import { withProgramErrors } from "./rpc-errors.ts";
import { finishAttempt } from "./send-launch.ts";

/** How often a migration is measured at most, until nothing else has changed the balance meanwhile. */
const MEASURED = 5;

/** See `PoolKeeper.migrate`. */
export async function migratePool(
  chain: ChainContext,
  program: MigrationProgram,
  token: TokenRef,
  journal: MigrationJournal,
  maySign: boolean,
  signal: AbortSignal,
): Promise<boolean> {
  const { latest } = journal;
  const earlier = latest && (await finishAttempt(chain, latest, signal));
  if (earlier?.kind === "landed") return landed(chain);
  // Without an attempt, a process died after it had set lamports aside, and before it signed.
  await chain.guard.settle(journal, latest && earlier ? spentBy(latest, earlier.kind) : 0n);
  if (latest) await journal.discard();

  const { isMigrated, completedAt } = await readProgress(program, token);
  if (isMigrated) return true;
  if (completedAt === null || !maySign) return false;
  const parts = await withProgramErrors(() => program.migration(token));
  const { simulation, wallet, lamports } = await measure(chain, parts);
  const plan = await planOwn(chain, { ...parts, simulation }, earlier?.kind === "expired");
  if (signal.aborted) throw stopped();
  const takesNoMore = await chain.guard.reserve(journal, {
    wallet,
    lamports: lamports + plan.priorityLamports,
    readAgain: () => readLaunchState(chain, [], simulation.slot),
    expense: "migration",
  });
  // What the migration took; null while that is not known, and if it landed: then what is set aside stays.
  let spent: bigint | null = 0n;
  try {
    await chain.crashPoint("migrate.reserved");
    const attempt = await signOwn(chain, plan, "migrate", parts.signers);
    await chain.crashPoint("migrate.signed");
    spent = null;
    await journal.record(attempt);
    await chain.crashPoint("migrate.stored");
    // A request without an answer may have arrived; the confirmer finds out.
    await resend(chain, attempt).catch(() => {});
    await chain.crashPoint("migrate.sent");
    const outcome = await confirm(chain, attempt, signal);
    if (outcome.kind === "landed") return await landed(chain);
    spent = spentBy(attempt, outcome.kind);
    if (outcome.kind === "expired") {
      throw new ChainUnavailableError("The migration's transaction expired before it landed");
    }
    // It may have failed because someone else was faster.
    if ((await readProgress(program, token)).isMigrated) return true;
    throw new ChainUnavailableError(
      `The migration's transaction failed on chain (${describeError(outcome.error)})`,
      outcome.error,
    );
  } finally {
    takesNoMore();
    if (spent !== null) {
      await chain.guard.settle(journal, spent);
      await journal.discard();
    }
  }
}

async function readProgress(program: MigrationProgram, token: TokenRef): Promise<CurveProgress> {
  const [progress] = await withProgramErrors(() => program.readProgress([token]));
  if (!progress || "unreadable" in progress) {
    throw new TokenUnreadableError(progress?.unreadable ?? "The curve cannot be read");
  }
  return progress;
}

interface Measured {
  readonly simulation: Simulation;
  readonly wallet: LaunchState;
  /** What it takes from the wallet, without a bid. */
  readonly lamports: bigint;
}

/** @throws {ChainUnavailableError} the chain would refuse it now */
async function measure(
  chain: ChainContext,
  { instructions }: LaunchInstructions,
): Promise<Measured> {
  for (let times = 1; ; times++) {
    const costOf = chain.guard.startMeasuring("migration");
    const wallet = await readLaunchState(chain, []);
    const { slot, walletLamports } = wallet;
    if (chain.guard.isUnderFloor(walletLamports)) throw chain.guard.shortageError(walletLamports);
    const simulation = await simulateOwn(chain, instructions, slot);
    if (simulation.error !== null) {
      throw new ChainUnavailableError(
        `The chain refuses the migration (${describeError(simulation.error)})`,
        { error: simulation.error, logs: simulation.logs },
      );
    }
    const lamports = costOf(walletLamports - simulation.payerLamports, simulation.slot === slot);
    if (chain.guard.isMeasured("migration") || times === MEASURED) {
      return { simulation, wallet, lamports };
    }
  }
}

async function landed(chain: ChainContext): Promise<true> {
  await chain.crashPoint("migrate.landed");
  return true;
}

/** @returns lamports that an attempt took, which migrated nothing */
function spentBy({ transaction }: MigrationAttempt, outcome: "failed" | "expired"): bigint {
  return outcome === "failed" ? networkFeeOf(transaction) : 0n;
}
