/** Counts by name, printed in alphabetical order. */
export class Counter {
  readonly #counts = new Map<string, number>();

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  toJSON() {
    return Object.fromEntries([...this.#counts].sort());
  }
}
