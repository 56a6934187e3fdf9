import type { LaunchStatus } from "@tokenctl/shared/types";
import { AbortError, LaunchWaitTimeoutError } from "../errors.ts";
import type { WaitOptions } from "../options.ts";
import { startDeadline } from "./deadline.ts";
import { wholeNumber } from "./parse-options.ts";
import { isTemporary } from "./retry.ts";
import { sleep } from "./sleep.ts";

const DEFAULT_INTERVAL_MS = 5_000;
/** Share of the interval by which polls are spread, so that many agents do not poll in step. */
const JITTER = 0.1;
/** The launch goes on during an outage of the server, so polling goes on too, for this long. */
const MAX_OUTAGE_MS = 60_000;

/**
 * Polls a launch until it has ended.
 *
 * @param poll reads the status once
 * @throws what the first poll throws, or what a later poll throws unless it is a temporary failure
 * that lasts less than a minute
 */
export async function waitForLaunch(
  poll: (signal: AbortSignal) => Promise<LaunchStatus>,
  eventId: string,
  options: WaitOptions,
): Promise<LaunchStatus> {
  const intervalMs = wholeNumber("intervalMs", options.intervalMs, DEFAULT_INTERVAL_MS, 1);
  const timeoutMs =
    options.timeoutMs === undefined ? undefined : wholeNumber("timeoutMs", options.timeoutMs, 0, 0);
  const deadline = startDeadline(timeoutMs, options.signal);
  let last: LaunchStatus | null = null;
  let lastSeenAt = 0;
  try {
    for (;;) {
      try {
        last = await poll(deadline.signal);
        lastSeenAt = performance.now();
        options.onStatus?.(last);
        if (last.status !== "pending") return last;
      } catch (error) {
        const isOutage = last !== null && isTemporary(error, "read");
        if (!isOutage || performance.now() - lastSeenAt > MAX_OUTAGE_MS) throw error;
      }
      await sleep(intervalMs * (1 + JITTER * (2 * Math.random() - 1)), deadline.signal);
    }
  } catch (error) {
    if (error instanceof AbortError && deadline.isOver()) {
      throw new LaunchWaitTimeoutError(eventId, timeoutMs ?? 0, last);
    }
    throw error;
  } finally {
    deadline.end();
  }
}
