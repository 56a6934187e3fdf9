import type { AgentEvent } from "@tokenctl/sdk";
import { lamportsToSol } from "@tokenctl/shared/sol";
import type { Desk, EventData } from "../desk.ts";

interface Watch {
  readonly after?: number;
  readonly count?: number;
  /** SOL from which the server reports a token's claimable fees; `off` removes the threshold. */
  readonly feesAbove?: string;
}

export async function watch(
  desk: Desk,
  { after, count = Number.POSITIVE_INFINITY, feesAbove }: Watch,
): Promise<null> {
  const { client, notices, print, signal } = desk;
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
  let printed = 0;
  try {
    for await (const event of client.events({ after: after ?? "latest", signal })) {
      const data = { ...event, ...(await amountOf(desk, event)) };
      print({ data, event: data });
      if (++printed >= count) break;
    }
  } catch (error) {
    // Ctrl-C is the normal end of a watch.
    if (!signal.aborted) throw error;
  }
  return null;
}

/** After this many milliseconds, a `fees.claimable` event no longer shows the amount. */
const RECENT_MS = 60_000;
/** A claim is recorded at most this many milliseconds before or after its event. */
const AROUND_MS = 600_000;
/** The most entries of the history that are looked through for one event. */
const ENTRIES = 100;

/** Looks up the SOL amount of an event, which contains only identifiers. */
async function amountOf(
  { client, signal }: Desk,
  { type, data, timestamp }: AgentEvent,
): Promise<Pick<EventData, "claimedSOL" | "claimableSOL">> {
  const at = Date.parse(timestamp);
  try {
    if (type === "claim.confirmed") {
      const [from, to] = [new Date(at - AROUND_MS), new Date(at + AROUND_MS)];
      const page = await client.claimHistoryPage({ from, to, limit: ENTRIES, signal });
      // There is an entry for each token of a transaction.
      const paid = page.claims.filter((claim) => claim.transactionHash === data.transactionHash);
      const lamports = paid.reduce((sum, claim) => sum + BigInt(claim.claimedLamports), 0n);
      return paid.length === 0 ? {} : { claimedSOL: lamportsToSol(lamports) };
    }
    if (type === "fees.claimable" && Date.now() - at < RECENT_MS) {
      const { claims } = await client.claims({ received: true, signal });
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
