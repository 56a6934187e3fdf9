import type { Logger } from "pino";
import { PeriodicTask } from "../base/clock.ts";
import type { HistoryPlace, WalletHistory } from "../launchpad/chain/read-wallet-history.ts";
import type { Store } from "../store/store.ts";

const EVERY_MS = 60_000;
/** After this many failed reads a transaction is skipped, so that later ones are still read. */
const LOOKS = 10;

const FOREIGN_LAUNCH =
  "another server launches from this service's wallet, and its operator must look at that first";

/**
 * Pauses launches if the wallet makes one that the database does not know: another server runs on a
 * copy of the data directory, or on a folder that was moved to another database. Ignores all
 * transactions before its first look.
 */
export class ForeignLaunches extends PeriodicTask {
  #last: HistoryPlace | null = null;
  /** How often the transaction after `#last` could not be read. */
  #unread = 0;

  constructor(
    private readonly deps: {
      readonly store: Store;
      readonly history: WalletHistory;
      readonly pauseReason: () => string | null;
      readonly log: Logger;
    },
  ) {
    const { store, log } = deps;
    super({
      clock: store.clock,
      run: async () => {
        await this.#look();
        return EVERY_MS;
      },
      onError: (error) =>
        log.warn({ err: error }, "the launch wallet's transactions cannot be read now"),
    });
  }

  async #look(): Promise<void> {
    const { history, store } = this.deps;
    // Earlier transactions may belong to the folder that this one was restored from.
    if (this.#last === null) {
      this.#last = await history.newest();
      return;
    }
    const landed = await history.since(this.#last);
    if (landed.length === 0) return;
    // A transaction is stored before it is sent, so this database knows all of its own.
    const signatures = landed.map(({ signature }) => signature);
    const own = new Set(await store.operator.signedForLaunches(signatures));
    for (const seen of landed) {
      const { signature } = seen;
      if (!own.has(signature) && (await this.#isLaunch(signature))) await this.#raise(signature);
      this.#last = seen;
      this.#unread = 0;
      if (this.signal.aborted) return;
    }
  }

  /** @throws what the history throws, until the read has failed {@link LOOKS} times */
  async #isLaunch(transaction: string): Promise<boolean> {
    const found = await this.deps.history.isLaunch(transaction).catch((error: unknown) => {
      this.#unread += 1;
      if (this.#unread < LOOKS) throw error;
      return null;
    });
    if (found === null) {
      this.deps.log.warn(
        { transaction },
        "a transaction of the launch wallet cannot be read: whether it is a launch is not known",
      );
    }
    return found === true;
  }

  async #raise(signature: string): Promise<void> {
    const { store, pauseReason, log } = this.deps;
    log.error(
      // The log does not redact this name: the operator needs the signature.
      { onChain: signature },
      "the launch wallet made a launch that this database does not know: another server uses the wallet. Stop that one, then run tokend admin resume launches",
    );
    if (pauseReason() === FOREIGN_LAUNCH) return;
    const change = { actor: "tokend", action: "pause", subject: "launches", detail: signature };
    const pauses = { launches: FOREIGN_LAUNCH };
    await store.operator.steer({ pauses }, { ...change, reason: FOREIGN_LAUNCH });
  }
}
