import type { LaunchCost, Reservation } from "../domain/reservation.ts";
import type { TokenRef, UnreadableFees } from "./launchpad.ts";
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
   * @param maySign whether it may sign a transaction, or only finish what is signed
   * @returns whether the curve has migrated, whoever did it
   * @throws {ChainUnavailableError} nothing is decided, try again later
   * @throws {TokenUnreadableError} this curve cannot be migrated by the service
   * @throws {LaunchWalletError} the launch wallet cannot pay, or the day's limit is reached
   */
  migrate(
    token: TokenRef,
    journal: MigrationJournal,
    maySign: boolean,
    signal: AbortSignal,
  ): Promise<boolean>;
}

/** A signed transaction that migrates a curve. */
export interface MigrationAttempt {
  /** Base58. */
  readonly signature: string;
  readonly transaction: Uint8Array;
  readonly lastValidBlockHeight: number;
}

/** Keeps what was signed for one migration, and what it may cost. Durable when a call resolves. */
export interface MigrationJournal {
  /** What was signed and has no known outcome; null if there is nothing. */
  readonly latest: MigrationAttempt | null;
  /** Sets lamports aside. @throws if the lease was lost */
  reserve(cost: LaunchCost): Promise<Reservation>;
  /** Ends the reservation. Does nothing without one. @param spent lamports that were taken */
  settle(spent: bigint): Promise<void>;
  /** Stores what was signed, before it is first sent. @throws if the lease was lost */
  record(attempt: MigrationAttempt): Promise<void>;
  /** Forgets what was signed: it failed or expired. */
  discard(): Promise<void>;
}
