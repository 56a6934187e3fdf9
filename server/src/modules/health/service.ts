import type { Health } from "@tokenctl/shared/types";
import type { Clock } from "../../clock.ts";
import type { Store } from "../../store/store.ts";
import type { ChainMonitor } from "./monitor.ts";

/** Whether the service can do its work, without waiting for anything outside the process. */
export class HealthService {
  readonly #store: Pick<Store, "ping">;
  readonly #monitor: ChainMonitor;
  readonly #clock: Clock;

  constructor(store: Pick<Store, "ping">, monitor: ChainMonitor, clock: Clock) {
    this.#store = store;
    this.#monitor = monitor;
    this.#clock = clock;
  }

  check(): Health {
    const timestamp = new Date(this.#clock.now()).toISOString();
    try {
      this.#store.ping();
    } catch {
      const message = "The database does not answer; see the server's log";
      return { ok: false, db: "disconnected", timestamp, message };
    }
    const { ok, problem } = this.#monitor.last;
    if (ok) return { ok, db: "connected", timestamp };
    return { ok, db: "connected", timestamp, message: problem ?? "The chain is not usable" };
  }
}
