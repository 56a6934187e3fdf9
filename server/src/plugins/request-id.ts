import { Elysia } from "elysia";

/** Gives every answer an id of its own, in `X-Request-Id`, to quote and to find in the log. */
export function requestIdPlugin() {
  return new Elysia({ name: "request-id" }).onRequest(({ set }) => {
    set.headers["x-request-id"] = crypto.randomUUID();
  });
}
