import { HealthSchema, ReadySchema } from "@tokenctl/shared/contract/service";
import { errorCodes } from "@tokenctl/shared/error-codes";
import { PAUSABLE } from "@tokenctl/shared/operator-report";
import type { ChainStall, Health, Network } from "@tokenctl/shared/types";
import type { LaunchPayer } from "@tokenctl/shared/words";
import { ServiceError } from "../../base/service-error.ts";
import { describeBudget, type LaunchBudget } from "../../domain/intake-limits.ts";
import { endpoint, type PauseReason, pauseError } from "../../http/endpoint.ts";
import type { Drain } from "../../http/listen.ts";
import type { Store } from "../../store/store.ts";
import type { ChainMonitor, DatabaseMonitor } from "./monitors.ts";

export interface HealthServiceOptions {
  readonly store: Pick<Store, "ping" | "clock" | "launches" | "prepared">;
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
    const { store, chainMonitor, network, payers } = this.options;
    const timestamp = new Date(store.clock.now()).toISOString();
    const health: Health = { ok: true, db: "connected", timestamp };
    let texts: string[];
    try {
      await store.ping();
      const dayBudget = this.options.budget.dayBudget();
      const budget = dayBudget && describeBudget(dayBudget, await store.launches.spentToday());
      const { stalledSince = null } = chainMonitor.last;
      if (stalledSince !== null) health.stalled = await this.#stall(stalledSince);
      texts = this.#problems(health.stalled);
      health.ok = texts.length === 0;
      this.#addNotices(texts, budget);
    } catch {
      health.ok = false;
      health.db = "disconnected";
      texts = ["The database does not answer; see the server's log"];
    }
    if (texts.length > 0) health.message = texts.join("; ");
    const name = network();
    if (name !== null) health.network = name;
    if (payers?.some((payer) => payer !== "operator")) health.launchPayers = [...payers];
    return health;
  }

  /** @throws {ServiceError} unless this server may get requests: whether launches can be made is no part of it */
  async checkReady(): Promise<{ ready: true }> {
    if (this.options.drain.isDraining) throw new ServiceError("draining");
    await this.options.store.ping().catch((cause: unknown) => {
      throw new ServiceError("database_unavailable", { cause });
    });
    return { ready: true };
  }

  #problems(stalled: ChainStall | undefined): string[] {
    const { chainMonitor, databaseMonitor, drain } = this.options;
    const { ok, problem } = chainMonitor.last;
    const problems: string[] = [];
    if (drain.isDraining) problems.push(errorCodes.draining.text);
    if (databaseMonitor.problem !== null) problems.push(databaseMonitor.problem);
    if (!ok) problems.push(problem ?? "The chain is not usable");
    if (stalled) {
      problems.push(
        `${counted(stalled.launchesWaiting, "launch", "launches")} and ${counted(stalled.claimsWaiting, "claim", "claims")} wait`,
      );
    }
    return problems;
  }

  /** Intended by the operator, and worth knowing. */
  #addNotices(texts: string[], budget: string | null): void {
    const { chainMonitor, pauseReason } = this.options;
    for (const what of PAUSABLE) {
      const paused = pauseError(what, pauseReason);
      if (paused) texts.push(paused.message);
    }
    if (budget !== null) texts.push(budget);
    const { warning = null } = chainMonitor.last;
    if (warning !== null) texts.push(warning);
  }

  async #stall(since: number): Promise<ChainStall> {
    const { launches, prepared } = this.options.store;
    const [{ depth }, sent] = await Promise.all([launches.backlog(), prepared.countSubmitted()]);
    return {
      since: new Date(since).toISOString(),
      launchesWaiting: depth + sent.launches,
      claimsWaiting: sent.claims,
    };
  }
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
    endpoint({
      route: "GET /ready",
      auth: "none",
      id: "getReady",
      summary: "Read whether this server may get requests",
      description:
        "Answers 503 only while the server starts, drains or has no database, so that whatever routes traffic keeps reads, pages, metadata and claims up whatever launches do.",
      tag: "Health",
      answer: ReadySchema,
      errors: ["draining", "database_unavailable"],
      handle: () => health.checkReady(),
    }),
  ];
}
