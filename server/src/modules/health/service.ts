import type { ChainStall, Health, Network } from "@tokenctl/shared/types";
import type { Drain } from "../../base/drain.ts";
import type { Store } from "../../store/store.ts";
import type { ChainMonitor } from "./chain-monitor.ts";
import type { DatabaseMonitor } from "./database-monitor.ts";

type HealthStore = Pick<Store, "ping" | "clock"> & {
  readonly launches: Pick<Store["launches"], "backlog">;
  readonly claims: Pick<Store["claims"], "countSubmitted">;
};
type ChainState = Pick<ChainMonitor, "last">;
type DatabaseState = Pick<DatabaseMonitor, "problem">;
type DrainState = Pick<Drain, "isDraining">;

const DRAINING = "This server is draining: it is about to stop";

/** Reports whether the service works, from what the monitors last saw: it never waits for the chain. */
export class HealthService {
  readonly #store: HealthStore;
  readonly #chain: ChainState;
  readonly #database: DatabaseState;
  readonly #drain: DrainState;
  readonly #network: () => Network | null;

  /** @param network returns the chain that launches go to; null until it is known */
  constructor(
    store: HealthStore,
    chain: ChainState,
    database: DatabaseState,
    drain: DrainState,
    network: () => Network | null = () => null,
  ) {
    this.#store = store;
    this.#chain = chain;
    this.#database = database;
    this.#drain = drain;
    this.#network = network;
  }

  async check(): Promise<Health> {
    const network = this.#network();
    return { ...(await this.#check()), ...(network !== null && { network }) };
  }

  async #check(): Promise<Health> {
    const timestamp = new Date(this.#store.clock.now()).toISOString();
    const { ok, problem, warning, stalledSince = null } = this.#chain.last;
    let stalled: ChainStall | null = null;
    try {
      await this.#store.ping();
      if (stalledSince !== null) stalled = await this.#stall(stalledSince);
    } catch {
      const message = "The database does not answer; see the server's log";
      return { ok: false, db: "disconnected", timestamp, message };
    }
    const draining = this.#drain.isDraining ? DRAINING : null;
    const messages = [
      draining,
      this.#database.problem,
      ok ? null : (problem ?? "The chain is not usable"),
      stalled &&
        `${counted(stalled.launchesWaiting, "launch", "launches")} and ${counted(stalled.claimsWaiting, "claim", "claims")} wait`,
    ];
    const message = messages.filter((text) => text !== null).join("; ");
    if (message === "") {
      return { ok: true, db: "connected", timestamp, ...(warning && { message: warning }) };
    }
    return { ok: false, db: "connected", timestamp, message, ...(stalled && { stalled }) };
  }

  async #stall(since: number): Promise<ChainStall> {
    const { launches, claims } = this.#store;
    const [{ depth }, claimsWaiting] = await Promise.all([
      launches.backlog(),
      claims.countSubmitted(),
    ]);
    return { since: new Date(since).toISOString(), launchesWaiting: depth, claimsWaiting };
  }
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
