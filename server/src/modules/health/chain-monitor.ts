import type { Logger } from "pino";
import type { ChainProbe, Launchpad } from "../../launchpad/launchpad.ts";

/**
 * With the time that a request of a probe may take, under five seconds: an RPC that begins to hang
 * right after a probe is found out within that.
 */
const PROBE_INTERVAL_MS = 2_250;

/** Looks at the chain every few seconds, so that nobody who asks for it has to wait. */
export class ChainMonitor {
  readonly #launchpad: Launchpad;
  readonly #log: Logger;
  #last: ChainProbe = {
    ok: false,
    problem: "The chain was not looked at yet",
    walletLamports: null,
  };
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;

  constructor(launchpad: Launchpad, log: Logger) {
    this.#launchpad = launchpad;
    this.#log = log;
  }

  get last(): ChainProbe {
    return this.#last;
  }

  /** Looks once and goes on by itself; resolves after the first look. */
  async start(): Promise<void> {
    const probe = await this.#launchpad.probe();
    if (probe.problem !== this.#last.problem) {
      if (probe.problem === null) this.#log.info("chain usable");
      else this.#log.error({ problem: probe.problem }, "chain not usable");
    }
    this.#last = probe;
    if (!this.#stopped) this.#timer = setTimeout(() => void this.start(), PROBE_INTERVAL_MS);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }
}
