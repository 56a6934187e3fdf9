import { Elysia } from "elysia";

/**
 * What every answer carries: browsers take it for what it says it is, and nobody keeps it. Routes
 * whose answers may be kept say so themselves.
 */
export const ANSWER_HEADERS = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
} as const;

/**
 * Gives every answer {@link ANSWER_HEADERS} and an id of its own, in `X-Request-Id`, to quote and to
 * find in the log.
 */
export function answerHeadersPlugin() {
  return new Elysia({ name: "answer-headers" }).onRequest(({ set }) => {
    set.headers = { "x-request-id": crypto.randomUUID(), ...ANSWER_HEADERS };
  });
}
