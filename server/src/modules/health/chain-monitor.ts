import type { Logger } from "pino";
import type { ChainProbe, Launchpad } from "../../launchpad/launchpad.ts";

/**
 * The interval and the timeout of a probe's request are together under five seconds: within that
 * time the monitor notices an RPC that hangs.
 */
const PROBE_INTERVAL_MS = 2_250;

type Chain = Pick<Launchpad, "probe">;

/** Probes the chain every few seconds, so that health checks do not wait for it. */
export class ChainMonitor {
  readonly #chain: Chain;
  readonly #log: Logger;
  #last: ChainProbe = {
    ok: false,
    problem: "The chain was not probed yet",
    walletLamports: null,
  };
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;

  constructor(chain: Chain, log: Logger) {
    this.#chain = chain;
    this.#log = log;
  }

  /** The result of the latest probe. */
  get last(): ChainProbe {
    return this.#last;
  }

  /** What launches wait for while the chain lands nothing; null if it is not known to be stalled. */
  get stall(): { readonly reason: "chain_stalled"; readonly since: number } | null {
    const { stalledSince = null } = this.#last;
    return stalledSince === null ? null : { reason: "chain_stalled", since: stalledSince };
  }

  /** Probes now, and then again and again; resolves after the first probe. */
  async start(): Promise<void> {
    const probe = await this.#probe();
    if (probe.problem !== this.#last.problem) {
      if (probe.problem === null) this.#log.info("chain usable");
      else this.#log.error({ problem: probe.problem }, "chain not usable");
    }
    this.#last = probe;
    if (!this.#stopped) this.#timer = setTimeout(() => void this.start(), PROBE_INTERVAL_MS);
  }

  /** A probe that throws is a fault of ours; the next one may pass. */
  async #probe(): Promise<ChainProbe> {
    try {
      return await this.#chain.probe();
    } catch (error) {
      this.#log.error({ err: error }, "the chain could not be probed");
      return { ok: false, problem: "The chain could not be probed", walletLamports: null };
    }
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }
}
