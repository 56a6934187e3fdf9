import type { AgentEvent, TokenctlClient } from "@tokenctl/sdk";
import { lamportsToSol } from "@tokenctl/shared/sol";

/** What can be claimed now is what an event tells of, if that is not older than this, in milliseconds. */
const RECENT_MS = 60_000;

/** Looks up the SOL that events are about: an event itself has only identifiers. */
export class EventAmounts {
  readonly #client: TokenctlClient;
  /** Claimed lamports, by transaction. */
  readonly #claimed = new Map<string, bigint>();

  constructor(client: TokenctlClient) {
    this.#client = client;
  }

  /** @returns an empty object if the event is about no amount, or the server does not say it */
  async of(
    event: AgentEvent,
    signal: AbortSignal,
  ): Promise<{ claimedSOL?: number; claimableSOL?: number }> {
    const { type, data, timestamp } = event;
    try {
      if (type === "claim.confirmed" && data.transactionHash !== null) {
        const claimedSOL = await this.#claimedBy(data.transactionHash, signal);
        return claimedSOL === undefined ? {} : { claimedSOL };
      }
      if (type === "fees.claimable" && Date.now() - Date.parse(timestamp) < RECENT_MS) {
        const { claims } = await this.#client.claims({ signal });
        const claim = claims.find(({ tokenMint }) => tokenMint === data.tokenMint);
        return claim === undefined ? {} : { claimableSOL: claim.claimableSOL };
      }
    } catch (error) {
      // The event is printed without an amount; a fault that lasts ends the stream of events.
      signal.throwIfAborted();
      if (!(error instanceof Error)) throw error;
    }
    return {};
  }

  async #claimedBy(hash: string, signal: AbortSignal): Promise<number | undefined> {
    if (!this.#claimed.has(hash)) {
      // Newest first: those of events to come are mostly among the first. A transaction that paid for
      // several tokens has an entry for each.
      const read = new Map<string, bigint>();
      for await (const { transactionHash: one, claimedLamports } of this.#client.claimHistory({
        signal,
      })) {
        if (one !== hash && read.has(hash)) break;
        read.set(one, (read.get(one) ?? 0n) + BigInt(claimedLamports));
      }
      for (const [one, lamports] of read) this.#claimed.set(one, lamports);
    }
    const lamports = this.#claimed.get(hash);
    return lamports === undefined ? undefined : lamportsToSol(lamports);
  }
}
