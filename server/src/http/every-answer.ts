/**
 * The headers of every answer: browsers guess no other content type, and no cache stores it. A
 * route whose answer may be cached sets its own `cache-control`.
 */
export const ANSWER_HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
} as const;
