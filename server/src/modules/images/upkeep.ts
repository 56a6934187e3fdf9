import type { Logger } from "pino";
import type { Store } from "../../store/store.ts";

const EVERY_MS = 10 * 60_000;

/** Deletes the images that have expired, at the start and every ten minutes. */
export class ImageUpkeep {
  readonly #store: Pick<Store, "images" | "clock">;
  readonly #log: Logger;
  #timer: ReturnType<typeof setInterval> | null = null;

  constructor(store: Pick<Store, "images" | "clock">, log: Logger) {
    this.#store = store;
    this.#log = log;
  }

  start(): void {
    void this.sweep();
    this.#timer = setInterval(() => void this.sweep(), EVERY_MS);
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Never throws. */
  async sweep(): Promise<void> {
    try {
      const deleted = await this.#store.images.deleteUnused(this.#store.clock.now());
      if (deleted > 0) this.#log.info({ deleted }, "expired images are deleted");
    } catch (error) {
      this.#log.warn(error, "expired images cannot be deleted now");
    }
  }
}
