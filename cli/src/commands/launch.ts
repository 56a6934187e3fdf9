import type { LaunchRequest } from "@tokenctl/sdk";
import { onChainNameOf, shorteningOf } from "@tokenctl/shared/token-name";
import { confirm } from "../confirm.ts";
import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import { UsageError } from "../errors.ts";
import { readImage } from "../image-file.ts";
import { orInterrupted } from "../interruption.ts";
import { enterNetwork } from "../network.ts";
import { afterAcceptance } from "../next-steps.ts";
import type { Result } from "../result.ts";
import { followLaunch } from "./follow-launch.ts";

/** The flags of `launch` beside the request. */
export interface LaunchFlags {
  readonly image?: string;
  readonly allowShortenedName?: boolean;
  readonly wait: boolean;
  readonly interval?: number;
  readonly idempotencyKey?: string;
  readonly yes?: boolean;
}

/**
 * Asks for a token to be launched, and waits until it is on chain.
 *
 * @throws {CliError} if the name would be cut, or the image's file cannot be read; nothing is sent
 */
export async function launch(
  context: Context,
  request: LaunchRequest,
  options: LaunchFlags,
): Promise<Result> {
  const { allowShortenedName, idempotencyKey } = options;
  const objection = aboutShortening(request, options);
  if (objection !== null) throw objection;
  const image = options.image === undefined ? null : await readImage(options.image);
  const client = await connect(context);
  const { signal } = context;
  const network = await enterNetwork(context, client);
  const who = `with the wallet ${client.address}`;
  const question = `Launch ${request.ticker}, ${onChainNameOf(request)}, ${who},`;
  await confirm(context, question, { network, isAgreed: options.yes });
  if (image !== null) {
    context.notices.progress("Uploading the image");
    const { url } = await client.uploadImage(image, { signal });
    request = { ...request, imageUrl: url };
  }
  if (shorteningOf(request) !== null) {
    context.notices.warn(`On chain the name is: ${onChainNameOf(request)}`);
  }
  const where = network === undefined ? "" : ` on ${network}`;
  context.notices.progress(`Asking for ${request.ticker}${where}`);
  const accepted = await orInterrupted(
    client.launch(request, { idempotencyKey, allowShortenedName, signal }),
    "It may have been accepted: launching it again then says that the ticker is taken",
  );
  if (!options.wait) {
    const next = afterAcceptance(accepted.eventId);
    return { kind: "accepted", data: accepted, network, next };
  }
  return followLaunch(context, client, accepted.eventId, options.interval, network);
}

/** @returns what is to be decided about a name of which only a part would go on chain; null if nothing */
export function aboutShortening(
  request: LaunchRequest,
  { allowShortenedName }: Pick<LaunchFlags, "allowShortenedName">,
): UsageError | null {
  const shortening = allowShortenedName ? null : shorteningOf(request);
  if (shortening === null) return null;
  const hint = "Choose the name on chain with --on-chain-name, or add --allow-shortened-name";
  return new UsageError(shortening, hint);
}
