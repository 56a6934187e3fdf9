import type { Logger } from "pino";
import type { Clock } from "../base/clock.ts";
import { Repeating } from "../base/repeating.ts";
import type { Launches } from "../store/launches.ts";

const SOONEST_MS = 1_000;
const RETRY_MS = 5_000;

export interface SigningDeadlinesOptions {
  /** The store's. */
  readonly clock: Clock;
  readonly launches: Launches;
  /** How long an agent has to sign a launch that it pays for, in milliseconds. */
  readonly withinMs: number;
  readonly log: Logger;
}

/** Ends launches that their agents did not sign in time. */
export function signingDeadlines({ clock, launches, withinMs, log }: SigningDeadlinesOptions) {
  return new Repeating({
    clock,
    async run() {
      const ended = await launches.endUnsigned("Its agent did not sign it in time");
      if (ended > 0) {
        log.info({ ended }, "launches were not signed in time");
        return 0;
      }
      // What is accepted from now on has a later deadline than this look.
      const next = await launches.nextDeadline(withinMs);
      const ms = next === null ? withinMs : Math.min(withinMs, next - clock.now());
      return Math.max(SOONEST_MS, ms);
    },
    onError: (error) =>
      log.warn({ err: error }, "launches that were not signed were not looked for"),
    retryMs: [RETRY_MS, RETRY_MS],
  });
}
