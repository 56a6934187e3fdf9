import type { Clock } from "./clock.ts";

/** Caches a read for its lifetime. Concurrent callers share a read; a failed one is not kept. */
export class SharedRead<T> {
  #kept: { value: T; readAt: number } | null = null;
  #reading: Promise<T> | null = null;

  /** @param lifetimeMs how long a value is kept, in milliseconds from the start of its read */
  constructor(
    private readonly read: () => Promise<T>,
    private readonly lifetimeMs: number | ((value: T) => number),
    private readonly clock: Pick<Clock, "elapsed">,
  ) {}

  async get(): Promise<T> {
    if (this.#kept) {
      const { value, readAt } = this.#kept;
      const { lifetimeMs } = this;
      const age = this.clock.elapsed() - readAt;
      if (age < (typeof lifetimeMs === "number" ? lifetimeMs : lifetimeMs(value))) return value;
    }
    this.#reading ??= this.#refresh();
    return this.#reading;
  }

  forget(): void {
    this.#kept = null;
  }

  async #refresh(): Promise<T> {
    const readAt = this.clock.elapsed();
    try {
      const value = await this.read();
      this.#kept = { value, readAt };
      return value;
    } finally {
      this.#reading = null;
    }
  }
}

/** A map that drops its oldest entry when it is full. For values that can be read again. */
export class BoundedMap<K, V> {
  readonly #entries = new Map<K, V>();

  constructor(private readonly capacity: number) {}

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  set(key: K, value: V): void {
    this.#entries.set(key, value);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.capacity) break;
      this.#entries.delete(oldest);
    }
  }

  getOrMake(key: K, make: () => V): V {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.set(key, made);
    return made;
  }
}
