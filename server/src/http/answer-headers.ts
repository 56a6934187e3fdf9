import { Elysia } from "elysia";

/**
 * The headers of every answer: browsers guess no other content type, and no cache stores it. A
 * route whose answer may be cached sets its own `cache-control`.
 */
export const ANSWER_HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
} as const;

/**
 * Gives every answer {@link ANSWER_HEADERS} and a unique `X-Request-Id`, which its log line has too.
 */
export function answerHeadersPlugin() {
  return new Elysia({ name: "answer-headers" }).onRequest(({ set }) => {
    set.headers = { "x-request-id": crypto.randomUUID(), ...ANSWER_HEADERS };
  });
}
