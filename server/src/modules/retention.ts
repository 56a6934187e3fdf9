import type { Logger } from "pino";
import { Repeating } from "../base/repeating.ts";
import type { Store } from "../store/store.ts";

/** Milliseconds between two searches for what is too old. */
const EVERY_MS = 10 * 60_000;
/** Events or prices that one transaction deletes at most, and milliseconds until the next. */
const STEP = 1_000;
const PAUSE_MS = 100;
/** Prices that are kept of all tokens together: about 60 MB. */
const MOST_PRICES = 500_000;

export function eventRetention(
  { events, clock }: Pick<Store, "events" | "clock">,
  retentionMs: number,
  log: Logger,
): Repeating {
  return new Repeating({
    clock,
    run: async () => {
      if (retentionMs === Number.POSITIVE_INFINITY) return retentionMs;
      const deleted = await events.forget(clock.now() - retentionMs, STEP);
      return deleted === STEP ? PAUSE_MS : EVERY_MS;
    },
    onError: (error) => log.warn({ err: error }, "old events not deleted"),
  });
}

export function priceRetention({ markets, clock }: Pick<Store, "markets" | "clock">, log: Logger) {
  return new Repeating({
    clock,
    run: async () => {
      const deleted = await markets.forget(clock.now(), { most: MOST_PRICES, step: STEP });
      return deleted >= STEP ? PAUSE_MS : EVERY_MS;
    },
    onError: (error) => log.warn({ err: error }, "old prices not deleted"),
  });
}

export function imageRetention({ images, clock }: Pick<Store, "images" | "clock">, log: Logger) {
  return new Repeating({
    clock,
    run: async () => {
      const deleted = await images.deleteUnused(clock.now());
      if (deleted > 0) log.info({ deleted }, "expired images are deleted");
      return EVERY_MS;
    },
    onError: (error) => log.warn({ err: error }, "expired images cannot be deleted now"),
  });
}
