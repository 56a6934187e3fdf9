import type { Logger } from "pino";
import { ALL_WAITING, type LaunchStore } from "../store/launch-store.ts";

const EVERY_MS = 15_000;
/** While nothing waits, or nothing could be signed: an idle server asks its database little. */
const IDLE_MS = 300_000;
const HOUR_MS = 3_600_000;

export interface WaitLimitOptions {
  readonly store: Pick<LaunchStore, "backlog" | "passTime" | "endWaiting">;
  /** How long a launch may wait for its transaction, in milliseconds; `Infinity` is no limit. */
  readonly maxWaitMs: number;
  /** Whether launches could be signed now: they are not paused, and the chain answers. */
  readonly isAble: () => boolean;
  readonly log: Logger;
  /** Milliseconds between two looks; tests shorten it. */
  readonly everyMs?: number;
}

/** Ends launches that wait too long. Time in which none could be signed does not count. */
export class WaitLimit {
  readonly #options: WaitLimitOptions;
  #wasAble = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;

  constructor(options: WaitLimitOptions) {
    this.#options = options;
  }

  /** Looks now, then every 15 seconds while launches wait that could be signed, otherwise every 5 minutes. */
  start(): void {
    if (Number.isFinite(this.#options.maxWaitMs)) void this.#lookOn();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Lets the time since the last look count if launches could be signed then and now. @returns how many it ended */
  async look(): Promise<number> {
    const { store, maxWaitMs, isAble, log } = this.#options;
    const wasAble = this.#wasAble;
    this.#wasAble = (await store.backlog()).depth > 0 && isAble();
    if (!this.#wasAble) return 0;
    const now = await store.passTime(wasAble);
    const which = { ...ALL_WAITING, queuedBy: now - maxWaitMs };
    const error = `No transaction was signed for it within ${maxWaitMs / HOUR_MS} hours`;
    const ended = await store.endWaiting(which, error);
    if (ended > 0) log.warn({ ended }, "launches have waited too long");
    return ended;
  }

  /** Never throws. */
  async #lookOn(): Promise<void> {
    try {
      await this.look();
    } catch (error) {
      this.#options.log.warn({ err: error }, "launches that wait too long were not looked for");
    }
    if (this.#isStopped) return;
    const { everyMs = this.#wasAble ? EVERY_MS : IDLE_MS } = this.#options;
    this.#timer = setTimeout(() => void this.#lookOn(), everyMs);
  }
}
