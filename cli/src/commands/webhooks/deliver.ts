import { setTimeout as pause } from "node:timers/promises";
import type { TokenctlClient, WebhookDelivery } from "@tokenctl/sdk";
import { connect } from "../../connect.ts";
import type { Context } from "../../context.ts";
import { CliError, UsageError } from "../../errors.ts";
import type { Result } from "../../result.ts";

/** Milliseconds between two looks at a delivery, and how often it is looked at: for 20 s in all. */
const LOOK_EVERY_MS = 250;
const LOOKS = 80;
/** Tests and replays that may wait at once, and so stand before it in the log. */
const LOG_PAGE = 50;

/** Sends a test message, and waits until it is known what became of it. */
export async function test(context: Context, id: string): Promise<Result> {
  const client = await connect(context);
  const queued = await client.webhooks.test(id, { signal: context.signal });
  context.notices.progress("Waiting for the receiver's answer");
  return deliveryResult(await outcomeOf(context, client, id, queued));
}

/** Sends one event once more, or all after one. */
export async function replay(
  context: Context,
  id: string,
  { event, after }: { event?: number; after?: number },
): Promise<Result> {
  const client = await connect(context);
  const { signal } = context;
  if (event !== undefined) {
    const { delivery } = await client.webhooks.replay(id, { event }, { signal });
    context.notices.progress("Waiting for the receiver's answer");
    if (delivery) return deliveryResult(await outcomeOf(context, client, id, delivery));
  } else if (after !== undefined) {
    await client.webhooks.replay(id, { after }, { signal });
    context.notices.notice("The events are being sent.");
    return deliveries(context, id, {});
  }
  throw new UsageError("give --event or --after", "`tokenctl webhooks replay --help` shows how");
}

/** Lists what was sent last. */
export async function deliveries(
  context: Context,
  id: string,
  { limit }: { limit?: number },
): Promise<Result> {
  const client = await connect(context);
  const options = { signal: context.signal, ...(limit !== undefined && { limit }) };
  return { kind: "deliveries", data: await client.webhooks.deliveries(id, options) };
}

async function outcomeOf(
  { signal }: Context,
  client: TokenctlClient,
  id: string,
  queued: WebhookDelivery,
): Promise<WebhookDelivery> {
  for (let look = 0; look < LOOKS; look++) {
    const { deliveries: log } = await client.webhooks.deliveries(id, { limit: LOG_PAGE, signal });
    const found = log.find(({ number }) => number === queued.number);
    if (found && found.status !== "pending") return found;
    // If it is interrupted, the next look throws.
    await pause(LOOK_EVERY_MS, null, { signal }).catch(() => {});
  }
  return queued;
}

function deliveryResult(data: WebhookDelivery): Result {
  const reason = data.httpStatus === null ? (data.problem ?? "") : `HTTP ${data.httpStatus}`;
  return {
    kind: "delivery",
    data,
    ...(data.status === "failed" && {
      failure: new CliError("delivery_failed", `The receiver did not accept it: ${reason}`, {
        hint: "A receiver answers with a status of 200 to 299, within 15 seconds",
      }),
    }),
  };
}
