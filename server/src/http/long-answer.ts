import type { Server } from "bun";
import { IDLE_TIMEOUT_SECONDS } from "./listen.ts";

/** A transaction confirms or expires within 90 s; its answer then needs a few requests more. */
const LONG_ANSWER_SECONDS = 150;

/**
 * Gives an answer that waits for the chain its time: an idle connection is else closed under it.
 * Called once the request's body is read, so that no sender profits.
 *
 * @param server null where the app runs without one
 * @param idleSeconds what the connection is given again for its next request
 */
export async function longAnswer<Answer>(
  server: Pick<Server<unknown>, "timeout"> | null,
  request: Request,
  answer: () => Promise<Answer>,
  idleSeconds = IDLE_TIMEOUT_SECONDS,
): Promise<Answer> {
  server?.timeout(request, LONG_ANSWER_SECONDS);
  try {
    return await answer();
  } finally {
    server?.timeout(request, idleSeconds);
  }
}
