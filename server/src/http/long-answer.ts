import type { Server } from "bun";
import { IDLE_TIMEOUT_SECONDS } from "./listen.ts";

/**
 * At slots of 400 ms a transaction confirms or expires within 90 s, at shorter ones sooner; a few more
 * RPC requests follow before the answer.
 */
const LONG_ANSWER_SECONDS = 150;

/**
 * Keeps the connection open while an answer waits for the chain; otherwise Bun closes it as idle.
 * Called after the request's body is read, so that a slow sender gets no extra time.
 *
 * @param server null if the app runs without one
 * @param idleSeconds the idle timeout that the connection has again afterwards
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
