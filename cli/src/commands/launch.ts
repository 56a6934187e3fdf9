import type { LaunchRequest } from "@tokenctl/sdk";
import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import { orInterrupted } from "../interruption.ts";
import type { Result } from "../result.ts";
import { followLaunch } from "./follow-launch.ts";

/** Asks for a token to be launched, and waits until it is on chain. */
export async function launch(
  context: Context,
  request: LaunchRequest,
  options: { wait: boolean; interval?: number; idempotencyKey?: string },
): Promise<Result> {
  const client = await connect(context);
  context.notices.progress(`Asking for ${request.ticker}`);
  const { signal } = context;
  const accepted = await orInterrupted(
    client.launch(request, { idempotencyKey: options.idempotencyKey, signal }),
    "It may have been accepted: launching it again then says that the ticker is taken",
  );
  if (!options.wait) return { kind: "accepted", data: accepted };
  return followLaunch(context, client, accepted.eventId, options.interval);
}
