import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import { EventAmounts } from "./event-amounts.ts";

interface WatchOptions {
  readonly after?: number;
  readonly count?: number;
  /** From how many claimable SOL of a token on the server tells, from now on; `off` for not at all. */
  readonly feesAbove?: string;
}

/** Prints the wallet's events as they happen, until `count` are printed or Ctrl-C. */
export async function watch(
  context: Context,
  { after, count = Number.POSITIVE_INFINITY, feesAbove }: WatchOptions,
): Promise<null> {
  const { notices, print, signal } = context;
  const client = await connect(context);
  if (feesAbove === "off") {
    await client.deleteFeeThreshold({}, { signal });
    notices.notice("The server no longer tells of claimable fees.");
  } else if (feesAbove !== undefined) {
    await client.setFeeThreshold({ claimableSOL: feesAbove }, { signal });
    notices.notice(
      `The server tells once a token has ${feesAbove} SOL to claim, also later; --fees-above off ends that.`,
    );
  }
  await client.login({ signal });
  notices.stop();
  notices.notice("Waiting for events. Ctrl-C ends it.");
  const amounts = new EventAmounts(client);
  let printed = 0;
  for await (const event of client.events({ after: after ?? "latest", signal })) {
    print({ kind: "event", data: { ...event, ...(await amounts.of(event, signal)) } });
    if (++printed >= count) break;
  }
  return null;
}
