import { type Clock, systemClock } from "../base/clock.ts";

interface Wait {
  /** When it ends, in milliseconds of time that has passed. */
  readonly at: number;
  readonly call: () => void;
}

/** A clock for tests, which stands still until a test moves it. */
export class ManualClock implements Clock {
  #now: number;
  #passed = 0;
  readonly #waits = new Set<Wait>();
  readonly #watchers = new Set<() => void>();

  /** @param now milliseconds since the Unix epoch; by default 2026-03-01, 09:00 UTC */
  constructor(now: number = Date.UTC(2026, 2, 1, 9, 0, 0)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#passed;
  }

  after(milliseconds: number, call: () => void): () => void {
    const wait = { at: this.#passed + Math.max(0, milliseconds), call };
    this.#waits.add(wait);
    for (const watcher of this.#watchers) watcher();
    return () => this.#waits.delete(wait);
  }

  /** The milliseconds until each wait ends, shortest first. */
  get waits(): number[] {
    return [...this.#waits].map(({ at }) => at - this.#passed).sort((a, b) => a - b);
  }

  /** Lets this many milliseconds pass, and ends the waits of that time; a negative number sets the clock back. */
  advance(milliseconds: number): void {
    const until = this.#passed + milliseconds;
    for (;;) {
      const next = this.#first();
      if (!next || next.at > until) break;
      this.#pass(next.at - this.#passed);
      this.#waits.delete(next);
      next.call();
    }
    if (milliseconds < 0) this.#now += milliseconds;
    else this.#pass(until - this.#passed);
  }

  /** Lets this many milliseconds pass as soon as a wait is that long. @throws if one is shorter */
  async pass(milliseconds: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const check = () => {
      const first = this.waits[0] ?? Number.POSITIVE_INFINITY;
      if (first === milliseconds) resolve();
      if (first < milliseconds) reject(new Error(`a wait of ${first} ms, not ${milliseconds}`));
    };
    this.#watchers.add(check);
    check();
    await promise;
    this.#watchers.delete(check);
    this.advance(milliseconds);
  }

  set(now: number): void {
    this.#now = now;
  }

  #first(): Wait | undefined {
    return [...this.#waits].reduce<Wait | undefined>(
      (first, wait) => (first && first.at <= wait.at ? first : wait),
      undefined,
    );
  }

  #pass(milliseconds: number): void {
    this.#passed += milliseconds;
    this.#now += milliseconds;
  }
}

/** A clock that a test moves, while waits also end by themselves: for tests that only use a server. */
export class MovableClock extends ManualClock {
  override after(milliseconds: number, call: () => void): () => void {
    const cancelReal = systemClock.after(milliseconds, () => {
      cancelManual();
      call();
    });
    const cancelManual = super.after(milliseconds, () => {
      cancelReal();
      call();
    });
    return () => {
      cancelReal();
      cancelManual();
    };
  }
}
