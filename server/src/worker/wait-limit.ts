import type { Logger } from "pino";
import { HOUR_MS, PeriodicTask } from "../base/clock.ts";
import type { Signing } from "../launchpad/signing/signing.ts";
import type { Store } from "../store/store.ts";

const EVERY_MS = 60_000;

interface WaitLimitOptions {
  /** How long a launch may wait for its transaction, in milliseconds; `Infinity` is no limit. */
  readonly maxWaitMs: number;
  /** Whether launches can be signed now: they are not paused, and the chain answers. */
  readonly isAble: () => boolean;
  readonly log: Logger;
}

/** Ends launches that wait too long, if they could be signed throughout the last hour. */
export function waitLimit(
  { clock, launches, findProblem }: Pick<Store, "clock" | "launches" | "findProblem">,
  { maxWaitMs, isAble, log }: WaitLimitOptions,
) {
  const error = `No transaction was signed for it within ${maxWaitMs / HOUR_MS} hours`;
  let ableSince: number | null = null;
  const readOffset = () => clock.now() - clock.elapsed();
  let offset = readOffset();
  return new PeriodicTask({
    clock,
    async run() {
      // A clock that was set does not mean that launches have waited.
      const wasSet = Math.abs(readOffset() - offset) > EVERY_MS;
      offset = readOffset();
      const isHeldUp = !isAble() || wasSet || (await findProblem()) !== null;
      ableSince = isHeldUp ? null : (ableSince ?? clock.elapsed());
      // After an outage or a pause, launches get this long to be signed before any is ended.
      if (ableSince === null || clock.elapsed() - ableSince < HOUR_MS) return EVERY_MS;
      const ended = await launches.endWaiting({ queuedBy: clock.now() - maxWaitMs }, error);
      if (ended > 0) log.warn({ ended }, "launches have waited too long");
      return EVERY_MS;
    },
    onError: (error) => log.warn({ err: error }, "launches that wait too long were not looked for"),
    retryMs: [EVERY_MS, EVERY_MS],
  });
}

const SOONEST_MS = 1_000;
const RETRY_MS = 5_000;

export function signingDeadlines(
  { clock, launches }: Store,
  withinMs: number,
  { findLaunched, log }: Pick<Signing, "findLaunched"> & { readonly log: Logger },
) {
  return new PeriodicTask({
    clock,
    async run() {
      const pending = await launches.ofAgents();
      const late = pending.filter((it) => !it.signature && Number(it.signBy) <= clock.now());
      for (const launch of late) {
        // A restored database does not know what its agent signed after the backup.
        const found = await findLaunched(launch);
        if (found && "tokenMint" in found) await launches.succeed(launch, "unsigned", found);
      }
      if (late.length > 0) {
        const which = { eventIds: late.map(({ eventId }) => eventId) };
        const ended = await launches.endWaiting(which, "Its agent did not sign it in time", true);
        if (ended === 0) return SOONEST_MS;
        log.info({ ended }, "launches were not signed in time");
        return 0;
      }
      // Those that are accepted later have later deadlines. Signed ones may expire after theirs.
      const next = Math.min(...pending.map(({ signBy }) => Number(signBy)));
      return Math.max(SOONEST_MS, Math.min(withinMs, next - clock.now()));
    },
    onError: (error) =>
      log.warn({ err: error }, "launches that were not signed were not looked for"),
    retryMs: [RETRY_MS, RETRY_MS],
  });
}
