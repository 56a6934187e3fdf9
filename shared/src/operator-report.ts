import type { LaunchStatusName } from "./types.ts";
import type { ChainName } from "./words.ts";

/** What the operator can pause. */
export const PAUSABLE = ["launches", "claims", "sign-ins"] as const;
export type Pausable = (typeof PAUSABLE)[number];

type Counts = Readonly<Record<LaunchStatusName, number>>;

/** What the operator sets while the service runs. All servers of the database apply it. */
export interface SteeringSettings {
  /** Why something is paused, for agents to read. A missing entry is not paused. */
  readonly pauses: Readonly<Partial<Record<Pausable, string>>>;
  /** Null for the environment's log level. */
  readonly logLevel: string | null;
  /** The DBC config of the next launches; null for the environment's. */
  readonly dbcConfig: string | null;
}

/** What `tokend admin status` shows. Amounts are in SOL, times in Unix milliseconds. */
export interface AdminStatus extends SteeringSettings {
  /** The version of the server that answers. */
  readonly version: string;
  /** What `GET /health` shows to the operator. */
  readonly health: { readonly ok: boolean; readonly message: string | null };
  readonly database: "sqlite" | "postgresql";
  readonly chain: {
    readonly name: ChainName;
    readonly ok: boolean;
    readonly problem: string | null;
    readonly warning: string | null;
    /** The config of the next launches; null on the sandbox. */
    readonly config: string | null;
    /** Measured milliseconds per block; null if not known yet. */
    readonly msPerBlock: number | null;
    /** Lamports of rent per byte of an account; null if not known yet. */
    readonly lamportsPerByte: number | null;
  };
  readonly wallet: {
    /** Null if the balance cannot be read. */
    readonly balanceSOL: number | null;
    readonly spentTodaySOL: number;
    /** Includes the expected cost of waiting launches; null without a limit. */
    readonly committedSOL: number | null;
    /** Null without a limit. */
    readonly maxDailySpendSOL: number | null;
  };
  readonly queue: {
    readonly depth: number;
    readonly oldestCreatedAt: number | null;
    /** Null without a limit. */
    readonly limit: number | null;
  };
  readonly rates: {
    /** Launches accepted in the last hour and day by current status, counted among the latest. */
    readonly lastHour: Counts;
    readonly lastDay: Counts;
    /** Agents with a launch that was started in the last hour or waits, and the limit of them. */
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
    /** Whether the server applies the settings shown here. */
    readonly isUpToDate: boolean;
  }[];
}

/** The number of launches of an hour, by status. */
export type Hour = Counts & { readonly at: number };

/** What the page shows to the operator. Amounts are in SOL, times in Unix milliseconds. */
export interface OperatorReport extends AdminStatus {
  readonly mayControl: boolean;
  /** When the view closes. */
  readonly expiresAt: number;
  readonly now: number;
  /** The RPC nodes; empty unless there are several. */
  readonly nodes: readonly {
    readonly name: string;
    readonly problem: string | null;
  }[];
  /** The last 24 hours, oldest first. */
  readonly hours: readonly Hour[];
  readonly money: {
    readonly collectedSOL: number;
    /** Null if the chain does not show it. */
    readonly toCollectSOL: number | null;
    readonly launchesSOL: number;
    readonly migrationsSOL: number;
    readonly collectingSOL: number;
  };
}
