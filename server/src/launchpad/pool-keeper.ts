import type { WalletJournal } from "../domain/journal.ts";
import type { TokenRef } from "../domain/token.ts";
import type { UnreadableFees } from "./launchpad.ts";
import type { LaunchInstructions } from "./pool-program.ts";

/** How far a curve has come. */
export interface CurveProgress {
  readonly isMigrated: boolean;
  /** When all its tokens were sold, in milliseconds since the Unix epoch; null before that. */
  readonly completedAt: number | null;
}

/** Reads how far curves have come; nothing else. */
interface ProgressReader {
  /**
   * In the order given, with batched reads. A token that cannot be read does not affect the others.
   *
   * @throws {ChainUnavailableError} the RPC does not answer, or not sensibly
   */
  readProgress(tokens: readonly TokenRef[]): Promise<(CurveProgress | UnreadableFees)[]>;
}

/** What the service needs of a launchpad program to migrate complete curves. */
export interface MigrationProgram extends ProgressReader {
  /**
   * The instructions that migrate a complete curve, as anyone may, and the keypairs that sign them
   * beside the launch wallet, which pays.
   *
   * @throws {TokenUnreadableError} this curve cannot be migrated like that
   */
  migration(token: TokenRef): Promise<LaunchInstructions>;
}

/** Migrates complete curves. */
export interface PoolKeeper extends ProgressReader {
  /**
   * Migrates a complete curve, unless that is done. Safe to call again after a crash or a failure: it
   * first finds the outcome of what the journal holds, and never has two transactions that could both land.
   *
   * @param journal its `settle` also forgets what was signed
   * @param maySign whether it may sign a transaction, or only finish what is signed
   * @returns whether the curve has migrated, whoever did it
   * @throws {ChainUnavailableError} nothing is decided, try again later
   * @throws {TokenUnreadableError} this curve cannot be migrated by the service
   * @throws {LaunchWalletError} the launch wallet cannot pay, or the day's limit is reached
   */
  migrate(
    token: TokenRef,
    journal: WalletJournal,
    options: { readonly maySign: boolean; readonly signal: AbortSignal },
  ): Promise<boolean>;
}
