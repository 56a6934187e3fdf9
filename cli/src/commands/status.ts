import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import { readNetwork } from "../network.ts";
import { resolveLaunch } from "../resolve-token.ts";
import type { Result } from "../result.ts";
import { followLaunch, launchResult } from "./follow-launch.ts";

/**
 * Returns the state of a launch, or with `wait` how it ended.
 *
 * @param name its event id, ticker or mint
 */
export async function status(
  context: Context,
  name: string,
  options: { wait?: boolean; interval?: number },
): Promise<Result> {
  const client = await connect(context);
  context.notices.progress("Asking for the launch");
  const eventId = await resolveLaunch(client, name, context.signal);
  // The first poll is outside the wait, so that an unknown id gets no hint to come back to it.
  const [now, network] = await Promise.all([
    client.launchStatus(eventId, { signal: context.signal }),
    readNetwork(client, context.signal),
  ]);
  if (now.status !== "pending" || !options.wait) return launchResult(now, network);
  return followLaunch(context, client, eventId, options.interval, network);
}
