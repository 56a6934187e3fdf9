/** Counts by name, in the names' order. */
export class Tally {
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
