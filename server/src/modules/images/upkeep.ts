import type { Logger } from "pino";
import { Repeating } from "../../base/repeating.ts";
import type { Store } from "../../store/store.ts";

const EVERY_MS = 10 * 60_000;

/** Deletes the images that have expired, at the start and every ten minutes. */
export function imageUpkeep({ images, clock }: Pick<Store, "images" | "clock">, log: Logger) {
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
