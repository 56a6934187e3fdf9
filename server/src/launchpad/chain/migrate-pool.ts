import type { WalletJournal } from "../../domain/journal.ts";
import type { TokenRef } from "../../domain/token.ts";
import { describeError } from "../../solana/transaction-error.ts";
import { ChainUnavailableError, TokenUnreadableError } from "../errors.ts";
import type {
  CurveProgress,
  LaunchInstructions,
  MigrationProgram,
  PoolKeeper,
} from "../pool-program.ts";
import { withRpcErrors } from "./cluster.ts";
import type { PayingContext } from "./context.ts";
import { readLaunchState } from "./launch-state.ts";
import {
  finish,
  planOwn,
  signOwn,
  simulateOwn,
  spentBy,
  stopped,
  storeAndSend,
} from "./transaction.ts";

/** A migration's cost is measured at most this often, until nothing else changes the balance during it. */
const MEASURED = 5;

export function poolKeeper(chain: PayingContext, program: MigrationProgram): PoolKeeper {
  return {
    readProgress: (tokens) => withRpcErrors(() => program.readProgress(tokens)),
    migrate: (token, journal, options) =>
      migratePool(chain, token, { ...options, journal, program }),
  };
}

interface MigrateOptions {
  readonly program: MigrationProgram;
  readonly journal: WalletJournal;
  readonly maySign: boolean;
  readonly signal: AbortSignal;
}

async function migratePool(
  chain: PayingContext,
  token: TokenRef,
  { program, journal, maySign, signal }: MigrateOptions,
): Promise<boolean> {
  const { latest } = journal;
  const earlier = latest && (await finish(chain, latest, { purpose: "migrate", signal }));
  if (earlier?.kind === "landed") return landed(chain);
  // Without an attempt, a process died after it had set lamports aside, and before it signed.
  const ended = latest && earlier && { outcome: earlier.kind, signal };
  await journal.settle(ended ? await spentBy(chain, latest, ended) : 0n);

  const { isMigrated, completedAt } = await readProgress(program, token);
  if (isMigrated) return true;
  if (completedAt === null || !maySign) return false;
  const parts = await withRpcErrors(() => program.migration(token));
  const { simulation, wallet, lamports } = await measure(chain, parts);
  const plan = await planOwn(chain, { ...parts, simulation }, earlier?.kind === "expired");
  if (signal.aborted) throw stopped();
  const takesNoMore = await chain.guard.reserve(journal, {
    wallet,
    lamports,
    priorityLamports: plan.priorityLamports,
    readAgain: () => readLaunchState(chain, [], { minContextSlot: simulation.slot }),
    expense: "migration",
  });
  // What the migration took; null while that is not known, and if it landed: then what is set aside stays.
  let spent: bigint | null = 0n;
  try {
    await chain.crashPoint?.("migrate.reserved");
    const attempt = await signOwn(chain, plan, "migrate");
    spent = null;
    const { outcome } = await storeAndSend(chain, attempt, { purpose: "migrate", journal, signal });
    if (outcome.kind === "landed") return await landed(chain);
    spent = await spentBy(chain, attempt, { outcome: outcome.kind, signal });
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
    if (spent !== null) await journal.settle(spent);
  }
}

async function readProgress(program: MigrationProgram, token: TokenRef): Promise<CurveProgress> {
  const [progress] = await withRpcErrors(() => program.readProgress([token]));
  if (!progress || "unreadable" in progress) {
    throw new TokenUnreadableError(progress?.unreadable ?? "The curve cannot be read");
  }
  return progress;
}

/** @returns what the migration takes from the wallet, without a bid */
async function measure(chain: PayingContext, { instructions }: LaunchInstructions) {
  for (let times = 1; ; times++) {
    const costOf = chain.guard.startMeasuring("migration");
    const wallet = await readLaunchState(chain, []);
    const { slot, walletLamports } = wallet;
    if (chain.guard.isUnderFloor(walletLamports)) throw chain.guard.shortageError(walletLamports);
    const simulation = await simulateOwn(chain, instructions, slot);
    if (simulation.error !== null) {
      throw new ChainUnavailableError(
        `The chain refuses the migration (${describeError(simulation.error, simulation.instructions)})`,
        { error: simulation.error, logs: simulation.logs },
      );
    }
    const lamports = costOf(walletLamports - simulation.payerLamports, simulation.slot === slot);
    if (chain.guard.isMeasured("migration") || times === MEASURED) {
      return { simulation, wallet, lamports };
    }
  }
}

async function landed(chain: PayingContext): Promise<true> {
  await chain.crashPoint?.("migrate.landed");
  return true;
}
