import { HealthSchema, ReadySchema } from "@tokenctl/shared/contract/service";
import { errorCodes } from "@tokenctl/shared/error-codes";
import type { ChainStall, Health, Network } from "@tokenctl/shared/types";
import type { LaunchPayer } from "@tokenctl/shared/words";
import type { Logger } from "pino";
import { type Clock, PeriodicTask } from "../../base/clock.ts";
import { ServiceError } from "../../base/service-error.ts";
import { describeBudget, type LaunchBudget } from "../../domain/intake-limits.ts";
import { PAUSABLE } from "../../domain/steering.ts";
import { endpoint, type PauseReason, pauseError } from "../../http/endpoint.ts";
import type { Drain } from "../../http/listen.ts";
import type { ChainProbe, Launchpad } from "../../launchpad/chain/chain-launchpad.ts";
import type { Store } from "../../store/store.ts";

const CHAIN_AWAY =
  "The service cannot use the chain fully: launches wait and continue by themselves, claims may be refused until then, and agents need do nothing";
const NOT_STORED =
  "The database takes no writes: nothing new is accepted, and what is stored is safe";
const NO_DATABASE = "The database does not answer; see the server's log";

/** One statement: its text for everyone, or null, and the operator's text if that differs. */
interface Said {
  readonly text: string | null;
  readonly toOperator?: string;
  readonly isProblem?: true;
}

export interface HealthServiceOptions {
  readonly store: Store;
  readonly chainMonitor: ChainMonitor;
  readonly databaseMonitor: DatabaseMonitor;
  readonly drain: Readonly<Drain>;
  readonly network: () => Network | null;
  readonly payers?: readonly LaunchPayer[];
  readonly reports?: { readonly problem: string | null };
  readonly pauseReason: PauseReason;
  readonly budget: LaunchBudget;
}

/** Reports whether the service works, from the monitors' results: never waits for the chain. */
export class HealthService {
  constructor(private readonly options: HealthServiceOptions) {}

  async check(): Promise<Health> {
    const { store, network, payers } = this.options;
    const timestamp = new Date(store.clock.now()).toISOString();
    const health: Health = { ok: true, db: "connected", timestamp };
    let said: readonly Said[];
    try {
      await store.ping();
      said = await this.#say(health);
    } catch {
      health.db = "disconnected";
      said = [{ text: "The database does not answer", toOperator: NO_DATABASE, isProblem: true }];
    }
    health.ok = !said.some(({ isProblem }) => isProblem);
    const join = (texts: readonly (string | null)[]) =>
      [...new Set(texts.filter((text) => text !== null))].join("; ");
    const message = join(said.map(({ text }) => text));
    if (message !== "") health.message = message;
    const toOperator = join(said.map(({ text, toOperator }) => toOperator ?? text));
    if (toOperator !== message) health.operatorMessage = toOperator;
    const name = network();
    if (name !== null) health.network = name;
    if (payers?.some((payer) => payer !== "operator")) health.launchPayers = [...payers];
    return health;
  }

  /** @throws {ServiceError} unless this server may get requests, whether or not it can launch */
  async checkReady(): Promise<{ ready: true }> {
    if (this.options.drain.isDraining) throw new ServiceError("draining");
    await this.options.store.ping().catch((cause: unknown) => {
      throw new ServiceError("database_unavailable", { cause });
    });
    return { ready: true };
  }

  async #say(health: Health): Promise<Said[]> {
    const { store, chainMonitor, databaseMonitor, drain, budget, pauseReason } = this.options;
    const { ok, problem, warning = null, stalledSince = null } = chainMonitor.last;
    const said: Said[] = [];
    if (drain.isDraining) said.push({ text: errorCodes.draining.text, isProblem: true });
    if (databaseMonitor.problem !== null) {
      said.push({ text: NOT_STORED, toOperator: databaseMonitor.problem, isProblem: true });
    }
    if (stalledSince !== null) {
      const stalled = await this.#stall(stalledSince);
      health.stalled = stalled;
      const waiting = `${counted(stalled.launchesWaiting, "launch", "launches")} and ${counted(stalled.claimsWaiting, "claim", "claims")} wait`;
      said.push({ text: `${problem ?? CHAIN_AWAY}; ${waiting}`, isProblem: true });
    } else if (!ok) {
      said.push({ text: CHAIN_AWAY, toOperator: problem ?? CHAIN_AWAY, isProblem: true });
    }
    for (const what of PAUSABLE) {
      const paused = pauseError(what, pauseReason);
      if (paused) said.push({ text: paused.message });
    }
    const dayBudget = budget.dayBudget();
    const spent = dayBudget && describeBudget(dayBudget, await store.launches.spentToday());
    for (const toOperator of [spent, warning, this.options.reports?.problem ?? null]) {
      if (toOperator !== null) said.push({ text: null, toOperator });
    }
    return said;
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

const counted = (count: number, one: string, many: string) =>
  `${count} ${count === 1 ? one : many}`;

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

/** Together with a request's timeout, less than five seconds: a hanging RPC is noticed soon. */
const PROBE_INTERVAL_MS = 2_250;

export class ChainMonitor extends PeriodicTask {
  last: ChainProbe = { ok: false, problem: "The chain was not probed yet", walletLamports: null };

  constructor(
    chain: Launchpad,
    clock: Clock,
    private readonly log: Logger,
  ) {
    super({
      clock,
      run: async () => {
        this.#take(await chain.probe());
        return PROBE_INTERVAL_MS;
      },
      onError: (error) => {
        log.error({ err: error }, "the chain could not be probed");
        this.#take({ ok: false, problem: "The chain could not be probed", walletLamports: null });
      },
      retryMs: [PROBE_INTERVAL_MS, PROBE_INTERVAL_MS],
    });
  }

  /** What launches wait for while the chain lands nothing; null unless known to be stalled. */
  get stall(): { readonly reason: "chain_stalled"; readonly since: number } | null {
    const { stalledSince = null } = this.last;
    return stalledSince === null ? null : { reason: "chain_stalled", since: stalledSince };
  }

  /** Does not wait for a running probe, which writes nothing and may take seconds. */
  override async stop(): Promise<void> {
    void super.stop();
  }

  #take(probe: ChainProbe): void {
    if (probe.problem !== this.last.problem) {
      if (probe.problem === null) this.log.info("chain usable");
      else this.log.error({ problem: probe.problem }, "chain not usable");
    }
    this.last = probe;
  }
}

const CHECK_INTERVAL_MS = 5_000;
const PROBLEM_INTERVAL_MS = 1_000;

export class DatabaseMonitor extends PeriodicTask {
  problem: string | null = null;

  constructor(
    private readonly store: Store,
    private readonly log: Logger,
  ) {
    super({
      clock: store.clock,
      run: () => this.#check(),
      onError: (error) => log.error({ err: error }, "the database was not checked"),
    });
  }

  async #check(): Promise<number> {
    const found = await this.store.findProblem();
    const problem = found?.text ?? null;
    if (problem !== this.problem) {
      if (found === null) this.log.info("database writable again");
      else this.log.error({ ...(found.cause !== null && { err: found.cause }) }, found.text);
    }
    this.problem = problem;
    return problem === null ? CHECK_INTERVAL_MS : PROBLEM_INTERVAL_MS;
  }
}
