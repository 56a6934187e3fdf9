import type { Logger } from "pino";
import { PeriodicTask } from "../base/clock.ts";
import type { Store } from "../store/store.ts";

const EVERY_MS = 10 * 60_000;
/** The most rows that one transaction deletes, and the milliseconds until the next one. */
const STEP = 1_000;
const PAUSE_MS = 100;
/** The most prices that are kept of all tokens together: about 60 MB. */
const MOST_PRICES = 500_000;

/** Deletes expired rows at start and every ten minutes. */
export function retention(
  { events, markets, images, clock }: Store,
  eventsMs: number,
  log: Logger,
) {
  // There may be more if a step deleted `STEP` rows.
  const deleting = (what: string, step: () => Promise<number>) =>
    new PeriodicTask({
      clock,
      run: async () => ((await step()) < STEP ? EVERY_MS : PAUSE_MS),
      onError: (error) => log.warn({ err: error }, `${what} cannot be deleted now`),
    });
  return {
    events: deleting("old events", () => events.forget(clock.now() - eventsMs, STEP)),
    prices: deleting("old prices", () =>
      markets.forget(clock.now(), { most: MOST_PRICES, step: STEP }),
    ),
    images: deleting("expired images", async () => {
      const deleted = await images.deleteUnused(clock.now());
      if (deleted > 0) log.info({ deleted }, "expired images are deleted");
      return deleted;
    }),
  };
}
