import { Elysia } from "elysia";
import { ANSWER_HEADERS } from "./every-answer.ts";

/**
 * Gives every answer {@link ANSWER_HEADERS} and a unique `X-Request-Id`, which its log line has too.
 */
export function answerHeadersPlugin() {
  return new Elysia({ name: "answer-headers" }).onRequest(({ set }) => {
    set.headers = { "x-request-id": crypto.randomUUID(), ...ANSWER_HEADERS };
  });
}
