import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import { enterNetwork } from "../network.ts";
import { afterAcceptance } from "../next-steps.ts";
import { resolveLaunch } from "../resolve-token.ts";
import type { Result } from "../result.ts";
import { followLaunch } from "./follow-launch.ts";

/**
 * Puts a launch that ended without a token back in the queue, and waits until it has ended.
 *
 * @param name its event id or ticker
 */
export async function retry(
  context: Context,
  name: string,
  options: { wait: boolean; interval?: number },
): Promise<Result> {
  const client = await connect(context);
  const eventId = await resolveLaunch(client, name, context.signal);
  const network = await enterNetwork(context, client);
  context.notices.progress("Putting the launch back in the queue");
  const accepted = await client.retryLaunch(eventId, { signal: context.signal });
  if (!options.wait) {
    return { kind: "accepted", data: accepted, network, next: afterAcceptance(eventId) };
  }
  return followLaunch(context, client, eventId, options.interval, network);
}
