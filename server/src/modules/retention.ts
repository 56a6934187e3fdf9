import type { Logger } from "pino";
import { PeriodicTask } from "../base/periodic-task.ts";
import type { Store } from "../store/store.ts";

/** Milliseconds between two searches for what is too old. */
const EVERY_MS = 10 * 60_000;
/** Rows that one transaction deletes at most, and milliseconds until the next. */
const STEP = 1_000;
const PAUSE_MS = 100;
/** Prices that are kept of all tokens together: about 60 MB. */
const MOST_PRICES = 500_000;

/** At the start and every ten minutes. @param step deletes some rows; there may be more if they were {@link STEP} */
function deleting(
  what: string,
  step: () => Promise<number>,
  { clock, log }: Pick<Store, "clock"> & { readonly log: Logger },
): PeriodicTask {
  return new PeriodicTask({
    clock,
    run: async () => ((await step()) < STEP ? EVERY_MS : PAUSE_MS),
    onError: (error) => log.warn({ err: error }, `${what} cannot be deleted now`),
  });
}

export function eventRetention(
  { events, clock }: Pick<Store, "events" | "clock">,
  retentionMs: number,
  log: Logger,
) {
  const forget = async () =>
    Number.isFinite(retentionMs) ? events.forget(clock.now() - retentionMs, STEP) : 0;
  return deleting("old events", forget, { clock, log });
}

export function priceRetention({ markets, clock }: Pick<Store, "markets" | "clock">, log: Logger) {
  const forget = () => markets.forget(clock.now(), { most: MOST_PRICES, step: STEP });
  return deleting("old prices", forget, { clock, log });
}

export function imageRetention({ images, clock }: Pick<Store, "images" | "clock">, log: Logger) {
  const forget = async () => {
    const deleted = await images.deleteUnused(clock.now());
    if (deleted > 0) log.info({ deleted }, "expired images are deleted");
    return deleted;
  };
  return deleting("expired images", forget, { clock, log });
}
