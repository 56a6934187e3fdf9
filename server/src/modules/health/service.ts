import type { Health } from "@tokenctl/shared/types";
import type { Clock } from "../../base/clock.ts";
import type { Store } from "../../store/store.ts";
import type { ChainMonitor } from "./chain-monitor.ts";
import type { DatabaseMonitor } from "./database-monitor.ts";

/** Whether the service can do its work, without waiting for anything outside the process. */
export class HealthService {
  readonly #store: Pick<Store, "ping">;
  readonly #chain: ChainMonitor;
  readonly #database: DatabaseMonitor;
  readonly #clock: Clock;

  constructor(
    store: Pick<Store, "ping">,
    chain: ChainMonitor,
    database: DatabaseMonitor,
    clock: Clock,
  ) {
    this.#store = store;
    this.#chain = chain;
    this.#database = database;
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
    const { ok, problem } = this.#chain.last;
    const messages = [this.#database.problem, ok ? null : (problem ?? "The chain is not usable")];
    const message = messages.filter((text) => text !== null).join("; ");
    if (message === "") return { ok: true, db: "connected", timestamp };
    return { ok: false, db: "connected", timestamp, message };
  }
}
