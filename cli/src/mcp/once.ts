import { Refusal } from "./refusal.ts";

/** Maximum number of operations; the oldest is forgotten first. */
const MOST = 1000;

/** Runs each named operation only once. */
export class Once {
  readonly #done = new Map<
    string,
    { readonly content: string; readonly result: Promise<unknown> }
  >();

  /** @returns the first run's result. @throws {Refusal} `operation_id_used` for other content */
  async run<T>(name: string, content: unknown, operation: () => Promise<T>): Promise<T> {
    const wanted = JSON.stringify(content);
    const known = this.#done.get(name);
    if (known === undefined) {
      for (const oldest of this.#done.keys()) {
        if (this.#done.size < MOST) break;
        this.#done.delete(oldest);
      }
      const result = operation();
      this.#done.set(name, { content: wanted, result });
      return result;
    }
    if (known.content !== wanted) {
      const message = `The operationId ${name} belongs to another operation`;
      throw new Refusal("operation_id_used", message, "Use a new operationId for each operation.");
    }
    return known.result as Promise<T>;
  }
}
