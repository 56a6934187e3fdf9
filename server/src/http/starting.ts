import { errorCodes } from "@tokenctl/shared/error-codes";
import type { ErrorBody, Health } from "@tokenctl/shared/types";
import type { Clock } from "../base/clock.ts";
import type { CorsAnswer } from "./cors-headers.ts";
import { ANSWER_HEADERS } from "./every-answer.ts";

/** Seconds after which a client asks again. */
const RETRY_AFTER = "1";

/**
 * Answers for a server that has not loaded, or not recovered what the last one left: its health with
 * 503, and 503 for everything else. Without Elysia, which takes longer to load than all of this.
 *
 * @param cors what the answer says to pages of other origins
 */
export function answerWhileStarting(
  { url, method }: Request,
  clock: Clock,
  cors: CorsAnswer,
): Response {
  const headers = { ...ANSWER_HEADERS, "x-request-id": crypto.randomUUID(), ...cors.headers };
  // Otherwise a browser would not send the request, and the page would not hear that it starts.
  if (cors.isPreflight) return new Response(null, { status: 204, headers });
  const { status, text } = errorCodes.starting;
  const fault: ErrorBody = { error: text, code: "starting" };
  const isHealth = new URL(url).pathname === "/health" && (method === "GET" || method === "HEAD");
  const timestamp = new Date(clock.now()).toISOString();
  const health: Health = { ok: false, db: "disconnected", timestamp, message: text, ...fault };
  return Response.json(isHealth ? health : fault, {
    status,
    headers: { ...headers, "retry-after": RETRY_AFTER },
  });
}
