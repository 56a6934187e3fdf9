import { connect } from "../connect.ts";
import type { Context } from "../context.ts";

/** Prints the wallet's events as they happen, until `count` are printed or Ctrl-C. */
export async function watch(
  context: Context,
  { after, count = Number.POSITIVE_INFINITY }: { after?: number; count?: number },
): Promise<null> {
  const { notices, print, signal } = context;
  const client = await connect(context);
  notices.notice("Waiting for events. Ctrl-C ends it.");
  let printed = 0;
  for await (const event of client.events({ after: after ?? "latest", signal })) {
    print({ kind: "event", data: event });
    if (++printed >= count) break;
  }
  return null;
}
