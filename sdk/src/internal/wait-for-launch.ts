import { AbortError, LaunchWaitTimeoutError } from "../errors.ts";
import type { LaunchStatus } from "../launch-status.ts";
import type { WaitOptions } from "../options.ts";
import { startDeadline } from "./deadline.ts";
import type { LaunchNews, NewsFollower } from "./launch-news.ts";
import { refuseOthers, wholeNumber } from "./parse-options.ts";
import { isTemporary } from "./retry.ts";
import { sleep } from "./sleep.ts";

const DEFAULT_INTERVAL_MS = 5_000;
/** While a stream of events is open, polls only make up for what a stream may lose. */
const LIVE_INTERVAL_MS = 30_000;
/** Share of the interval by which polls are spread, so that many agents do not poll in step. */
const JITTER = 0.1;
/** The launch goes on during an outage of the server, so polling goes on too, from the first poll on. */
const MAX_OUTAGE_MS = 60_000;

/**
 * Polls a launch until it has ended: after a while, and at once when there is news of it.
 *
 * @param poll reads the status once
 * @param news tells of launches that have ended
 * @throws what a poll throws, unless it is a temporary failure that has lasted less than a minute
 */
export async function waitForLaunch(
  poll: (signal: AbortSignal) => Promise<LaunchStatus>,
  eventId: string,
  options: WaitOptions,
  news?: Pick<LaunchNews, "follow">,
): Promise<LaunchStatus> {
  const intervalMs = wholeNumber("intervalMs", options.intervalMs, DEFAULT_INTERVAL_MS, 1);
  const timeoutMs =
    options.timeoutMs === undefined ? undefined : wholeNumber("timeoutMs", options.timeoutMs, 0, 0);
  const { intervalMs: _, timeoutMs: __, onStatus, ...call } = options;
  refuseOthers(call);
  const deadline = startDeadline(timeoutMs, options.signal);
  let last: LaunchStatus | null = null;
  let lastSeenAt = performance.now();
  let follower: NewsFollower | undefined;
  try {
    for (;;) {
      // Asked for before the poll: what happens meanwhile is not missed.
      const next = follower?.next();
      try {
        last = await poll(deadline.signal);
        lastSeenAt = performance.now();
        onStatus?.(last);
        if (last.status !== "pending") return last;
      } catch (error) {
        if (!isTemporary(error, "read") || performance.now() - lastSeenAt > MAX_OUTAGE_MS)
          throw error;
      }
      if (!follower && news && last) {
        // Not before the first status: a launch that has ended needs no stream.
        follower = news.follow(eventId);
        if (follower.isLive) continue;
      }
      // Whoever looks on is to see what it waits for, of which there is no news.
      const isRare = follower?.isLive && !onStatus;
      const pause = isRare ? Math.max(intervalMs, LIVE_INTERVAL_MS) : intervalMs;
      await sleepUntil(next ?? follower?.next(), pause, deadline.signal);
    }
  } catch (error) {
    if (error instanceof AbortError && deadline.isOver()) {
      throw new LaunchWaitTimeoutError(eventId, timeoutMs ?? 0, last);
    }
    throw error;
  } finally {
    follower?.stop();
    deadline.end();
  }
}

/** Waits, a tenth more or less, or until there is news. */
async function sleepUntil(
  news: Promise<void> | undefined,
  milliseconds: number,
  signal: AbortSignal,
): Promise<void> {
  const early = new AbortController();
  const onAbort = () => early.abort(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  const pause = sleep(milliseconds * (1 + JITTER * (2 * Math.random() - 1)), early.signal);
  try {
    await (news ? Promise.race([news, pause]) : pause);
  } finally {
    signal.removeEventListener("abort", onAbort);
    // Ends the timer, if the news came first.
    pause.catch(() => {});
    early.abort();
  }
}
