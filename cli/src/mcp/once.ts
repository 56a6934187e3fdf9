import { Refusal } from "./refusal.ts";

/** At most this many operations are remembered; the oldest is forgotten first. */
const MOST = 1000;

/** Runs each named operation only once. */
export class Once {
  readonly #done = new Map<
    string,
    { readonly content: string; readonly result: Promise<unknown> }
  >();

  /**
   * @param name chosen by the model
   * @param content what the operation does
   * @returns the result of the first run with this name. A run that failed counts too
   * @throws {Refusal} `operation_id_used` if the name belongs to another content
   */
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
      throw new Refusal(
        "operation_id_used",
        `The operationId ${name} belongs to another operation`,
        "Use a new operationId for each operation.",
      );
    }
    return known.result as Promise<T>;
  }
}
