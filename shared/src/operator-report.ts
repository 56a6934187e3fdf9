import type { LaunchStatusName } from "./types.ts";
import type { ChainName } from "./words.ts";

/** What the operator can pause. */
export const PAUSABLE = ["launches", "claims", "sign-ins"] as const;
export type Pausable = (typeof PAUSABLE)[number];

type Counts = Readonly<Record<LaunchStatusName, number>>;

/** What the operator sets while the service runs; all servers of the database follow it. */
export interface SteeringSettings {
  /** Why something is paused; agents read the text. What is missing is not paused. */
  readonly pauses: Readonly<Partial<Record<Pausable, string>>>;
  /** Null for the one of the environment. */
  readonly logLevel: string | null;
  /** The DBC config of the next launches; null for the one of the environment. */
  readonly dbcConfig: string | null;
}

/** What `tokend admin status` shows. Amounts are SOL, times milliseconds since the Unix epoch. */
export interface AdminStatus extends SteeringSettings {
  /** Of the server that answers. */
  readonly version: string;
  /** What `GET /health` says to the operator. */
  readonly health: { readonly ok: boolean; readonly message: string | null };
  readonly database: "sqlite" | "postgresql";
  readonly chain: {
    readonly name: ChainName;
    readonly ok: boolean;
    readonly problem: string | null;
    readonly warning: string | null;
    /** Under which the next launches are made; null on the sandbox. */
    readonly config: string | null;
    /** Milliseconds that a block takes, as measured; null if it is not known yet. */
    readonly msPerBlock: number | null;
    /** Lamports that an account holds for each byte; null if it is not known yet. */
    readonly lamportsPerByte: number | null;
  };
  readonly wallet: {
    /** Null if it could not be read. */
    readonly balanceSOL: number | null;
    readonly spentTodaySOL: number;
    /** With what launches that wait are expected to cost; null without a limit. */
    readonly committedSOL: number | null;
    /** Null for no limit. */
    readonly maxDailySpendSOL: number | null;
  };
  readonly queue: {
    readonly depth: number;
    readonly oldestCreatedAt: number | null;
    /** Null for no limit. */
    readonly limit: number | null;
  };
  readonly rates: {
    /** The latest launches accepted in the last hour and day, by their status now. */
    readonly lastHour: Counts;
    readonly lastDay: Counts;
    /** Agents whose launch was started in the last hour or waits, of those that may be. */
    readonly agentsOfHour: number;
    readonly maxAgentsOfHour: number | null;
  };
  readonly admission: { readonly mode: string; readonly minAgentSOL: number };
  readonly steeringVersion: number;
  readonly servers: readonly {
    readonly id: string;
    readonly host: string;
    readonly pid: number;
    readonly url: string;
    readonly version: string;
    readonly startedAt: number;
    readonly seenAt: number;
    /** Whether it works by the settings that are shown here. */
    readonly isUpToDate: boolean;
  }[];
}

/** The launches of an hour, by their status. */
export type Hour = Counts & { readonly at: number };

/** What the page shows the operator. Amounts are SOL, times milliseconds since the Unix epoch. */
export interface OperatorReport extends AdminStatus {
  readonly mayControl: boolean;
  /** When the view closes. */
  readonly expiresAt: number;
  readonly now: number;
  /** The RPC nodes; none unless there are several. */
  readonly nodes: readonly {
    readonly name: string;
    readonly problem: string | null;
    /** Slots behind the others; null if it is not known. */
    readonly lag: number | null;
  }[];
  /** The last 24, oldest first. */
  readonly hours: readonly Hour[];
  readonly money: {
    readonly collectedSOL: number;
    /** Null if the chain does not say. */
    readonly toCollectSOL: number | null;
    readonly launchesSOL: number;
    readonly migrationsSOL: number;
    readonly collectingSOL: number;
  };
}
