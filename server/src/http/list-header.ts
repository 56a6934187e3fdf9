/** The headers of an answer, as Elysia's `set` holds them. */
export type AnswerHeaders = Record<string, string | number | string[] | undefined>;

/** Adds an item to a header that is a list, which other parts of the answer may have begun. */
export function addItem(headers: AnswerHeaders, field: string, item: string): void {
  const before = headers[field];
  headers[field] = before === undefined ? item : `${before}, ${item}`;
}
