import { HealthSchema } from "@tokenctl/shared/contract/service";
import { errorCodes } from "@tokenctl/shared/error-codes";
import { PAUSABLE } from "@tokenctl/shared/operator-report";
import type { ChainStall, Health, Network } from "@tokenctl/shared/types";
import type { LaunchPayer } from "@tokenctl/shared/words";
import { describeBudget } from "../../domain/day-budget.ts";
import type { LaunchBudget } from "../../domain/intake-limits.ts";
import { endpoint, type PauseReason, pauseError } from "../../http/endpoint.ts";
import type { Drain } from "../../http/listen.ts";
import type { Store } from "../../store/store.ts";
import type { ChainMonitor, DatabaseMonitor } from "./monitors.ts";

const DRAINING = "This server is draining: it is about to stop";

export interface HealthServiceOptions {
  readonly store: Pick<Store, "ping" | "clock" | "launches" | "claims">;
  readonly chainMonitor: Pick<ChainMonitor, "last">;
  readonly databaseMonitor: Pick<DatabaseMonitor, "problem">;
  readonly drain: Readonly<Drain>;
  /** The chain that launches go to; null until it is known. */
  readonly network: () => Network | null;
  /** Who may pay for a launch. Default: the operator alone. */
  readonly payers?: readonly LaunchPayer[];
  readonly pauseReason: PauseReason;
  readonly budget: LaunchBudget;
}

/** Reports whether the service works, from what the monitors last saw: it never waits for the chain. */
export class HealthService {
  constructor(private readonly options: HealthServiceOptions) {}

  async check(): Promise<Health> {
    const { network, payers = ["operator"] } = this.options;
    const name = network();
    const isUsual = payers.join() === "operator";
    return {
      ...(await this.#check()),
      ...(name !== null && { network: name }),
      ...(!isUsual && { launchPayers: [...payers] }),
    };
  }

  async #check(): Promise<Health> {
    const { store, chainMonitor, databaseMonitor, drain, pauseReason } = this.options;
    const timestamp = new Date(store.clock.now()).toISOString();
    const { ok, problem, warning = null, stalledSince = null } = chainMonitor.last;
    let stalled: ChainStall | null = null;
    let budget: string | null = null;
    try {
      await store.ping();
      budget = await this.#budget();
      if (stalledSince !== null) stalled = await this.#stall(stalledSince);
    } catch {
      const message = "The database does not answer; see the server's log";
      return { ok: false, db: "disconnected", timestamp, message };
    }
    const problems = [
      drain.isDraining ? DRAINING : null,
      databaseMonitor.problem,
      ok ? null : (problem ?? "The chain is not usable"),
      stalled &&
        `${counted(stalled.launchesWaiting, "launch", "launches")} and ${counted(stalled.claimsWaiting, "claim", "claims")} wait`,
    ];
    // Intended by the operator, and worth knowing.
    const notices = [
      ...PAUSABLE.map((what) => pauseError(what, pauseReason)?.message ?? null),
      budget,
      warning,
    ];
    const isOk = joined(problems) === "";
    const message = joined(isOk ? notices : [...problems, ...notices]);
    const answer = { ok: isOk, db: "connected", timestamp } as const;
    return { ...answer, ...(message && { message }), ...(stalled && { stalled }) };
  }

  async #budget(): Promise<string | null> {
    const budget = this.options.budget.dayBudget();
    return budget && describeBudget(budget, await this.options.store.launches.spentToday());
  }

  async #stall(since: number): Promise<ChainStall> {
    const { launches, claims } = this.options.store;
    const [{ depth }, claimsWaiting] = await Promise.all([
      launches.backlog(),
      claims.countSubmitted(),
    ]);
    return { since: new Date(since).toISOString(), launchesWaiting: depth, claimsWaiting };
  }
}

function joined(texts: readonly (string | null)[]): string {
  return texts.filter((text) => text !== null).join("; ");
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function healthEndpoints(health: HealthService) {
  return [
    endpoint({
      route: "GET /health",
      auth: "none",
      id: "getHealth",
      summary: "Read whether the service can do its work",
      description:
        "Answers 200 if the service can do its work, otherwise 503 with the same fields and the reason in `message`. It never waits for the chain.",
      tag: "Health",
      answer: HealthSchema,
      errors: ["unhealthy"],
      unavailable: HealthSchema,
      async handle({ set }) {
        const report = await health.check();
        if (report.ok) return report;
        const { status, text } = errorCodes.unhealthy;
        set.status = status;
        return { ...report, error: text, code: "unhealthy" };
      },
    }),
  ];
}
