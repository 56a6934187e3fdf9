import type { Logger } from "pino";
import { HOUR_MS, PeriodicTask } from "../base/clock.ts";
import type { Store } from "../store/store.ts";

const EVERY_MS = 15_000;
/** The interval while no launch waits or none can be signed: an idle server spares its database. */
const IDLE_MS = 300_000;

interface WaitLimitOptions {
  /** How long a launch may wait for its transaction, in milliseconds; `Infinity` is no limit. */
  readonly maxWaitMs: number;
  /** Whether launches can be signed now: they are not paused, and the chain answers. */
  readonly isAble: () => boolean;
  readonly log: Logger;
}

/** Ends launches that wait too long. Time in which no launch could be signed does not count. */
export class WaitLimit extends PeriodicTask {
  #wasAble = false;

  constructor(
    private readonly store: Store,
    private readonly options: WaitLimitOptions,
  ) {
    super({
      clock: store.clock,
      run: async () => {
        await this.look();
        return this.#wasAble ? EVERY_MS : IDLE_MS;
      },
      onError: (error) =>
        options.log.warn({ err: error }, "launches that wait too long were not looked for"),
      retryMs: [EVERY_MS, EVERY_MS],
    });
  }

  /**
   * Ends overdue launches. Counts the time since the last call if they could be signed at both.
   * @returns how many ended
   */
  async look(): Promise<number> {
    const { launches } = this.store;
    const { maxWaitMs, isAble, log } = this.options;
    const wasAble = this.#wasAble;
    const isWaiting = (await launches.backlog()).depth > 0;
    this.#wasAble = isWaiting && isAble();
    if (!this.#wasAble || !Number.isFinite(maxWaitMs)) return 0;
    const now = await launches.passTime(wasAble);
    const error = `No transaction was signed for it within ${maxWaitMs / HOUR_MS} hours`;
    const ended = await launches.endWaiting({ queuedBy: now - maxWaitMs }, error);
    if (ended > 0) log.warn({ ended }, "launches have waited too long");
    return ended;
  }
}

const SOONEST_MS = 1_000;
const RETRY_MS = 5_000;

export function signingDeadlines({ clock, launches }: Store, withinMs: number, log: Logger) {
  return new PeriodicTask({
    clock,
    async run() {
      const ended = await launches.endUnsigned("Its agent did not sign it in time");
      if (ended > 0) {
        log.info({ ended }, "launches were not signed in time");
        return 0;
      }
      // Launches that are accepted later have later deadlines than the next run.
      const next = await launches.nextDeadline(withinMs);
      const ms = next === null ? withinMs : Math.min(withinMs, next - clock.now());
      return Math.max(SOONEST_MS, ms);
    },
    onError: (error) =>
      log.warn({ err: error }, "launches that were not signed were not looked for"),
    retryMs: [RETRY_MS, RETRY_MS],
  });
}
