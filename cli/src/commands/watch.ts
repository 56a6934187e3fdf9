import type { AgentEvent } from "@tokenctl/sdk";
import type { Desk } from "../desk.ts";
import { second, solText } from "../format.ts";

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
    await client.deleteFeeThreshold({ signal });
    notices.notice("The server no longer reports claimable fees.");
  } else if (feesAbove !== undefined) {
    await client.setFeeThreshold({ claimableSOL: Number(feesAbove) }, { signal });
    const end = "--fees-above off ends that";
    notices.notice(`The server reports each token with ${feesAbove} SOL to claim; ${end}.`);
  }
  await client.login({ signal });
  notices.notice("Waiting for events. Ctrl-C ends it.");
  let printed = 0;
  try {
    for await (const event of client.events({ after: after ?? "latest", signal })) {
      print({ data: event, lines: [lineOf(event)] });
      if (++printed >= count) break;
    }
  } catch (error) {
    // Ctrl-C is the normal end of a watch.
    if (!signal.aborted) throw error;
  }
  return null;
}

function lineOf({ id, type, timestamp, data }: AgentEvent): string {
  const hash = type === "launch.succeeded" ? null : data.transactionHash;
  const cost = data.costSOL === undefined ? [] : [`cost ${solText(data.costSOL)}`];
  const about = [data.ticker.padEnd(10), hash ?? data.tokenMint ?? data.eventId];
  const start = [second(timestamp), String(id).padStart(5), type.padEnd(19)];
  return [...start, ...about, ...cost].join("  ");
}
