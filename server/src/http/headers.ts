/** Browsers must not guess content types, and caches store only what a route allows. */
export const ANSWER_HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
} as const;

export type AnswerHeaders = Record<string, string | number | string[] | undefined>;

export function addItem(headers: AnswerHeaders, field: string, item: string): void {
  const before = headers[field];
  headers[field] = before === undefined ? item : `${before}, ${item}`;
}
