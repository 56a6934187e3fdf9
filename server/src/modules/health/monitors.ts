import type { Logger } from "pino";
import { type Clock, PeriodicTask } from "../../base/clock.ts";
import type { Launchpad } from "../../launchpad/chain/chain-launchpad.ts";
import type { ChainProbe } from "../../launchpad/chain/probe.ts";
import type { Store } from "../../store/store.ts";

/** Together with a request's timeout, less than five seconds: a hanging RPC is noticed soon. */
const PROBE_INTERVAL_MS = 2_250;

/** Probes the chain every few seconds, so that health checks do not wait for it. */
export class ChainMonitor extends PeriodicTask {
  #last: ChainProbe = {
    ok: false,
    problem: "The chain was not probed yet",
    walletLamports: null,
  };

  constructor(
    chain: Pick<Launchpad, "probe">,
    clock: Clock,
    private readonly log: Logger,
  ) {
    super({
      clock,
      run: async () => {
        this.#take(await chain.probe());
        return PROBE_INTERVAL_MS;
      },
      // This is our own fault; the next probe may succeed.
      onError: (error) => {
        log.error({ err: error }, "the chain could not be probed");
        this.#take({ ok: false, problem: "The chain could not be probed", walletLamports: null });
      },
      retryMs: [PROBE_INTERVAL_MS, PROBE_INTERVAL_MS],
    });
  }

  get last(): ChainProbe {
    return this.#last;
  }

  /** What launches wait for while the chain lands nothing; null unless known to be stalled. */
  get stall(): { readonly reason: "chain_stalled"; readonly since: number } | null {
    const { stalledSince = null } = this.#last;
    return stalledSince === null ? null : { reason: "chain_stalled", since: stalledSince };
  }

  /** Does not wait for a running probe, which writes nothing and may take seconds. */
  override async stop(): Promise<void> {
    void super.stop();
  }

  #take(probe: ChainProbe): void {
    if (probe.problem !== this.#last.problem) {
      if (probe.problem === null) this.log.info("chain usable");
      else this.log.error({ problem: probe.problem }, "chain not usable");
    }
    this.#last = probe;
  }
}

const CHECK_INTERVAL_MS = 5_000;
/** The interval while there is a problem, so that its end is noticed soon. */
const PROBLEM_INTERVAL_MS = 1_000;

export class DatabaseMonitor extends PeriodicTask {
  #problem: string | null = null;

  constructor(
    private readonly store: Pick<Store, "findProblem" | "clock">,
    private readonly log: Logger,
  ) {
    super({
      clock: store.clock,
      run: () => this.#check(),
      onError: (error) => log.error({ err: error }, "the database was not checked"),
    });
  }

  /** Why the database cannot be written, in a text for anyone; null if it can. */
  get problem(): string | null {
    return this.#problem;
  }

  async #check(): Promise<number> {
    const found = await this.store.findProblem();
    const problem = found?.text ?? null;
    if (problem !== this.#problem) {
      if (found === null) this.log.info("database writable again");
      else this.log.error({ ...(found.cause !== null && { err: found.cause }) }, found.text);
    }
    this.#problem = problem;
    return problem === null ? CHECK_INTERVAL_MS : PROBLEM_INTERVAL_MS;
  }
}
