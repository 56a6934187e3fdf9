import { limits } from "@tokenctl/shared/limits";
import { AbortError, TimeoutError } from "../errors.ts";
import type { LaunchStatus } from "../narrowed-answers.ts";
import type { WaitOptions } from "../options.ts";
import { refuseOthers, wholeNumber } from "./arguments.ts";
import { sleep, startDeadline } from "./deadline.ts";
import { isTemporary } from "./retry.ts";

const DEFAULT_INTERVAL_MS = 5_000;
/** The share of the interval by which polls vary, so that agents do not poll in step. */
const JITTER = 0.1;
/** The launch continues during an outage of the server, so polling does too. */
const MAX_OUTAGE_MS = 60_000;

/** If a request that the server should hold is refused, cut or answered early, it polls. */
export async function waitForLaunch(
  read: (signal: AbortSignal, waitSeconds: number) => Promise<LaunchStatus>,
  eventId: string,
  options: WaitOptions,
): Promise<LaunchStatus> {
  const { intervalMs: interval, timeoutMs: timeout, onStatus, ...call } = options;
  const intervalMs = wholeNumber("intervalMs", interval ?? DEFAULT_INTERVAL_MS, 1);
  const timeoutMs = timeout === undefined ? undefined : wholeNumber("timeoutMs", timeout, 0);
  refuseOthers(call);
  const deadline = startDeadline(timeoutMs, call.signal);
  const { signal } = deadline;
  // With `onStatus`, the caller gets a status at each interval.
  let longest = onStatus
    ? Math.min(limits.eventWait.max, Math.ceil(intervalMs / 1000))
    : limits.eventWait.max;
  let last: LaunchStatus | null = null;
  let lastSeenAt = performance.now();
  try {
    // The first read does not wait, so that a missing launch fails at once.
    for (let wait = 0; ; wait = longest) {
      const askedAt = performance.now();
      const seen = await read(signal, wait).catch((error) => {
        if (signal.aborted) throw error;
        // A request that was held says nothing; the next one shows whether the server is there.
        const isOut = performance.now() - lastSeenAt > MAX_OUTAGE_MS;
        if (wait === 0 && (isOut || !isTemporary(error, "read"))) throw error;
        if (wait > 0) lastSeenAt = performance.now();
      });
      if (seen) {
        last = seen;
        lastSeenAt = performance.now();
        onStatus?.(last);
        if (last.status !== "pending") return last;
        if (wait === 0 ? longest > 0 : lastSeenAt - askedAt >= wait * 900) continue;
      }
      if (wait > 0) longest = 0;
      await sleep(intervalMs * (1 + JITTER * (2 * Math.random() - 1)), signal);
    }
  } catch (error) {
    if (!(error instanceof AbortError && deadline.isOver())) throw error;
    const text = `Launch ${eventId} is still pending after ${(timeoutMs ?? 0) / 1000} s`;
    throw new TimeoutError(text, {
      hint: "The launch continues: wait again, or read its status later",
      timeoutMs: timeoutMs ?? 0,
      eventId,
      lastStatus: last,
    });
  } finally {
    deadline.end();
  }
}
