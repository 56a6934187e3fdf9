import type { LaunchStatusName } from "@tokenctl/shared/types";
import type { AdmissionMode } from "../domain/intake-limits.ts";
import type { SteeringSettings } from "../domain/steering.ts";
import type { ServerReport } from "./operator.ts";

type Counts = Readonly<Record<LaunchStatusName, number>>;

/** What `tokend admin status` shows. Amounts are SOL, times milliseconds since the Unix epoch. */
export interface AdminStatus extends SteeringSettings {
  /** Of the server that answers. */
  readonly version: string;
  /** What `GET /health` says. */
  readonly health: { readonly ok: boolean; readonly message: string | null };
  readonly database: "sqlite" | "postgresql";
  readonly chain: {
    readonly name: "local" | "solana";
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
  readonly admission: { readonly mode: AdmissionMode; readonly minAgentSOL: number };
  readonly steeringVersion: number;
  readonly servers: readonly (ServerReport & {
    readonly seenAt: number;
    /** Whether it works by the settings that are shown here. */
    readonly isUpToDate: boolean;
  })[];
}
