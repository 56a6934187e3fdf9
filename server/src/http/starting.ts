import { errorCodes } from "@tokenctl/shared/error-codes";
import type { ErrorBody, Health } from "@tokenctl/shared/types";
import type { Clock } from "../base/clock.ts";
import { ANSWER_HEADERS } from "./every-answer.ts";

/** Seconds after which a client asks again. */
const RETRY_AFTER = "1";

/**
 * Answers for a server that has not loaded, or not recovered what the last one left: its health with
 * 503, and 503 for everything else. Without Elysia, which takes longer to load than all of this.
 */
export function answerWhileStarting({ url, method }: Request, clock: Clock): Response {
  const { status, text } = errorCodes.starting;
  const fault: ErrorBody = { error: text, code: "starting" };
  const isHealth = new URL(url).pathname === "/health" && (method === "GET" || method === "HEAD");
  const timestamp = new Date(clock.now()).toISOString();
  const health: Health = { ok: false, db: "disconnected", timestamp, message: text, ...fault };
  return Response.json(isHealth ? health : fault, {
    status,
    headers: {
      ...ANSWER_HEADERS,
      "x-request-id": crypto.randomUUID(),
      "retry-after": RETRY_AFTER,
    },
  });
}
