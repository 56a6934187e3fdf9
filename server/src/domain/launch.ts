import type { WaitingFor } from "@tokenctl/shared/types";

/** What the chain needs to know of a launch. */
export interface LaunchOrder {
  /** The launch's UUID; the mint's and the pool's addresses follow from it. */
  readonly eventId: string;
  /** The agent's wallet, to which all creator fees belong. */
  readonly wallet: string;
  readonly name: string;
  /** The name that goes on chain; null for the beginning of `name`. */
  readonly onChainName?: string | null;
  readonly ticker: string;
}

export interface TokenLinks {
  readonly website: string | null;
  readonly twitter: string | null;
  readonly telegram: string | null;
}

export interface LaunchWait {
  readonly reason: WaitingFor;
  /** Since when, in milliseconds since the Unix epoch. */
  readonly since: number;
  /**
   * With `queue`: its place, 1 if it is the next; those in progress count. The largest that is counted
   * also stands for more. Null in lists, which would have to count for each launch.
   */
  readonly place: number | null;
}

/** What all launches of a worker wait for. */
export type Trouble = Omit<LaunchWait, "place">;
