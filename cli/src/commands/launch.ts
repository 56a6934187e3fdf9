import type { LaunchRequest } from "@tokenctl/sdk";
import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import { readImage } from "../image-file.ts";
import { orInterrupted } from "../interruption.ts";
import { enterNetwork } from "../network.ts";
import { afterAcceptance } from "../next-steps.ts";
import type { Result } from "../result.ts";
import { followLaunch } from "./follow-launch.ts";

/**
 * Asks for a token to be launched, and waits until it is on chain.
 *
 * @throws {CliError} if the image's file cannot be read; nothing is sent
 */
export async function launch(
  context: Context,
  request: LaunchRequest,
  options: { wait: boolean; interval?: number; idempotencyKey?: string; image?: string },
): Promise<Result> {
  const image = options.image === undefined ? null : await readImage(options.image);
  const client = await connect(context);
  const { signal } = context;
  const network = await enterNetwork(context, client);
  if (image !== null) {
    context.notices.progress("Uploading the image");
    const { url } = await client.uploadImage(image, { signal });
    request = { ...request, imageUrl: url };
  }
  const where = network === undefined ? "" : ` on ${network}`;
  context.notices.progress(`Asking for ${request.ticker}${where}`);
  const accepted = await orInterrupted(
    client.launch(request, { idempotencyKey: options.idempotencyKey, signal }),
    "It may have been accepted: launching it again then says that the ticker is taken",
  );
  if (!options.wait) {
    const next = afterAcceptance(accepted.eventId);
    return { kind: "accepted", data: accepted, network, next };
  }
  return followLaunch(context, client, accepted.eventId, options.interval, network);
}
