export const WATCH_OUTCOMES = ["done", "other_server", "failed"] as const;

export interface WatchRound {
  /**
   * `done` if all was read that there is to read, `other_server` if another one of the database has the
   * watch, `failed` if the chain or the database did not answer.
   */
  readonly outcome: (typeof WATCH_OUTCOMES)[number];
  readonly milliseconds: number;
  /** Milliseconds since the Unix epoch. */
  readonly endedAt: number;
}
