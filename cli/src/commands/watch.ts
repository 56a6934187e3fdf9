import type { AgentEvent, TokenctlClient } from "@tokenctl/sdk";
import { lamportsToSol } from "@tokenctl/shared/sol";
import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import type { EventData } from "../render-event.ts";

interface WatchOptions {
  readonly after?: number | "latest";
  readonly count?: number;
  /** From how many claimable SOL of a token on the server reports it, from now on; `off` for not at all. */
  readonly feesAbove?: string;
}

/** Prints the wallet's events as they happen, until `count` are printed or Ctrl-C. */
export async function watch(
  context: Context,
  { after = "latest", count = Number.POSITIVE_INFINITY, feesAbove }: WatchOptions,
): Promise<null> {
  const { notices, print, signal } = context;
  const client = await connect(context);
  if (feesAbove === "off") {
    await client.deleteFeeThreshold({}, { signal });
    notices.notice("The server no longer reports claimable fees.");
  } else if (feesAbove !== undefined) {
    await client.setFeeThreshold({ claimableSOL: feesAbove }, { signal });
    notices.notice(
      `The server reports each token that has ${feesAbove} SOL to claim, also later; --fees-above off ends that.`,
    );
  }
  await client.login({ signal });
  notices.stop();
  notices.notice("Waiting for events. Ctrl-C ends it.");
  const amounts = new EventAmounts(client);
  let printed = 0;
  for await (const event of client.events({ after, signal })) {
    const data = { ...event, ...(await amounts.of(event, signal)) };
    print({ data, view: { event: data } });
    if (++printed >= count) break;
  }
  return null;
}

/** A `fees.claimable` event older than this, in milliseconds, is not about what can be claimed now. */
const RECENT_MS = 60_000;

/** Looks up the SOL that events are about: an event itself has only identifiers. */
class EventAmounts {
  readonly #client: TokenctlClient;
  /** Claimed lamports, by transaction. */
  readonly #claimed = new Map<string, bigint>();

  constructor(client: TokenctlClient) {
    this.#client = client;
  }

  /** @returns an empty object if the event is about no amount, or the server does not say it */
  async of(
    { type, data, timestamp }: AgentEvent,
    signal: AbortSignal,
  ): Promise<Pick<EventData, "claimedSOL" | "claimableSOL">> {
    try {
      if (type === "claim.confirmed" && data.transactionHash !== null) {
        const claimed = await this.#claimedBy(data.transactionHash, signal);
        return claimed === undefined ? {} : { claimedSOL: lamportsToSol(claimed) };
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

  async #claimedBy(hash: string, signal: AbortSignal): Promise<bigint | undefined> {
    if (this.#claimed.has(hash)) return this.#claimed.get(hash);
    // Newest first: those of events to come are mostly among the first. A transaction that paid for
    // several tokens has an entry for each.
    const read = new Map<string, bigint>();
    for await (const claim of this.#client.claimHistory({ signal })) {
      const { transactionHash: one, claimedLamports } = claim;
      if (one !== hash && read.has(hash)) break;
      read.set(one, (read.get(one) ?? 0n) + BigInt(claimedLamports));
    }
    for (const [one, lamports] of read) this.#claimed.set(one, lamports);
    return read.get(hash);
  }
}
