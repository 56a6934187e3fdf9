import type { AgentEvent, EventListOptions, TokenctlClient } from "@tokenctl/sdk";
import { lamportsToSol } from "@tokenctl/shared/sol";
import type { Desk, Result } from "../desk.ts";
import type { EventData } from "../render-event.ts";

interface Watch {
  readonly after?: number;
  readonly count?: number;
  /** SOL from which the server reports a token's claimable fees; `off` removes the threshold. */
  readonly feesAbove?: string;
}

export async function watch(
  { client, notices, print, signal }: Desk,
  { after, count = Number.POSITIVE_INFINITY, feesAbove }: Watch,
): Promise<null> {
  if (feesAbove === "off") {
    await client.deleteFeeThreshold({}, { signal });
    notices.notice("The server no longer reports claimable fees.");
  } else if (feesAbove !== undefined) {
    await client.setFeeThreshold({ claimableSOL: feesAbove }, { signal });
    const end = "--fees-above off ends that";
    notices.notice(`The server reports each token with ${feesAbove} SOL to claim; ${end}.`);
  }
  await client.login({ signal });
  notices.stop();
  notices.notice("Waiting for events. Ctrl-C ends it.");
  const amounts = new EventAmounts(client);
  let printed = 0;
  try {
    for await (const event of client.events({ after: after ?? "latest", signal })) {
      const data = { ...event, ...(await amounts.of(event, signal)) };
      print({ data, view: { event: data } });
      if (++printed >= count) break;
    }
  } catch (error) {
    // Ctrl-C is the normal end of a watch.
    if (!signal.aborted) throw error;
  }
  return null;
}

export async function listEvents(
  { client, signal }: Desk,
  cursor: EventListOptions,
): Promise<Result> {
  const data = await client.eventList({ ...cursor, signal });
  const says = `${data.events.length} events. Continue after ${data.nextAfter}.`;
  return { data, view: [], says };
}

export async function feeThresholds({ client, signal }: Desk): Promise<Result> {
  return { data: await client.feeThresholds({ signal }), view: [] };
}

export async function setFeeThreshold(
  { client, signal }: Desk,
  { claimableSOL = 0, tokenMint }: { claimableSOL?: number; tokenMint?: string },
): Promise<Result> {
  const request =
    claimableSOL === 0
      ? client.deleteFeeThreshold({ tokenMint }, { signal })
      : client.setFeeThreshold({ claimableSOL, tokenMint }, { signal });
  return { data: await request, view: [] };
}

/** After this many milliseconds, a `fees.claimable` event no longer shows the amount. */
const RECENT_MS = 60_000;

/** Looks up the SOL amounts of events, which contain only identifiers. */
class EventAmounts {
  /** Claimed lamports, by transaction. */
  readonly #claimed = new Map<string, bigint>();

  constructor(private readonly client: TokenctlClient) {}

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
        const { claims } = await this.client.claims({ received: true, signal });
        const claim = claims.find(({ tokenMint }) => tokenMint === data.tokenMint);
        return claim === undefined ? {} : { claimableSOL: claim.claimableSOL };
      }
    } catch (error) {
      // The event is printed without its amount. If the fault lasts, it also ends the event stream.
      signal.throwIfAborted();
      if (!(error instanceof Error)) throw error;
    }
    return {};
  }

  async #claimedBy(hash: string, signal: AbortSignal): Promise<bigint | undefined> {
    if (this.#claimed.has(hash)) return this.#claimed.get(hash);
    // The history is newest first, and has an entry for each token of a transaction.
    const read = new Map<string, bigint>();
    for await (const claim of this.client.claimHistory({ signal })) {
      const { transactionHash: one, claimedLamports } = claim;
      if (one !== hash && read.has(hash)) break;
      read.set(one, (read.get(one) ?? 0n) + BigInt(claimedLamports));
    }
    for (const [one, lamports] of read) this.#claimed.set(one, lamports);
    return read.get(hash);
  }
}
