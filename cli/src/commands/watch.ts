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
  const known = new Map<string, bigint>();
  let printed = 0;
  try {
    for await (const event of client.events({ after: after ?? "latest", signal })) {
      const data = { ...event, ...(await amountOf(desk, event, known)) };
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

/** Looks up the SOL amount of an event, which contains only identifiers. */
async function amountOf(
  desk: Desk,
  { type, data, timestamp }: AgentEvent,
  known: Map<string, bigint>,
): Promise<Pick<EventData, "claimedSOL" | "claimableSOL">> {
  const { client, signal } = desk;
  try {
    if (type === "claim.confirmed" && data.transactionHash !== null) {
      const claimed = await claimedBy(desk, data.transactionHash, known);
      return claimed === undefined ? {} : { claimedSOL: lamportsToSol(claimed) };
    }
    if (type === "fees.claimable" && Date.now() - Date.parse(timestamp) < RECENT_MS) {
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

/** @param known the lamports of transactions that were read before */
async function claimedBy(
  { client, signal }: Desk,
  hash: string,
  known: Map<string, bigint>,
): Promise<bigint | undefined> {
  if (known.has(hash)) return known.get(hash);
  // The history is newest first, and has an entry for each token of a transaction.
  const read = new Map<string, bigint>();
  for await (const { transactionHash: one, claimedLamports } of client.claimHistory({ signal })) {
    if (one !== hash && read.has(hash)) break;
    read.set(one, (read.get(one) ?? 0n) + BigInt(claimedLamports));
  }
  for (const [one, lamports] of read) known.set(one, lamports);
  return read.get(hash);
}
