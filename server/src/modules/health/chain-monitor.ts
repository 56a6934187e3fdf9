import type { Logger } from "pino";
import type { Clock } from "../../base/clock.ts";
import { Repeating } from "../../base/repeating.ts";
import type { ChainProbe, Launchpad } from "../../launchpad/launchpad.ts";

/** With a request's timeout under five seconds, so that an RPC that hangs is soon noticed. */
const PROBE_INTERVAL_MS = 2_250;

/** Probes the chain every few seconds, so that health checks do not wait for it. */
export class ChainMonitor {
  readonly #log: Logger;
  readonly #probing: Repeating;
  #last: ChainProbe = {
    ok: false,
    problem: "The chain was not probed yet",
    walletLamports: null,
  };

  constructor(chain: Pick<Launchpad, "probe">, clock: Clock, log: Logger) {
    this.#log = log;
    this.#probing = new Repeating({
      clock,
      run: async () => {
        this.#take(await chain.probe());
        return PROBE_INTERVAL_MS;
      },
      // A fault of ours; the next probe may pass.
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

  /** What launches wait for while the chain lands nothing; null if it is not known to be stalled. */
  get stall(): { readonly reason: "chain_stalled"; readonly since: number } | null {
    const { stalledSince = null } = this.#last;
    return stalledSince === null ? null : { reason: "chain_stalled", since: stalledSince };
  }

  start(): Promise<void> {
    this.#probing.start();
    return this.#probing.wake();
  }

  /** Does not wait for the probe under way, which writes nothing and may take seconds. */
  stop(): void {
    void this.#probing.stop();
  }

  #take(probe: ChainProbe): void {
    if (probe.problem !== this.#last.problem) {
      if (probe.problem === null) this.#log.info("chain usable");
      else this.#log.error({ problem: probe.problem }, "chain not usable");
    }
    this.#last = probe;
  }
}
