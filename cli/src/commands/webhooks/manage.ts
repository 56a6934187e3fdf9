import { connect } from "../../connect.ts";
import type { Context } from "../../context.ts";
import type { Result } from "../../result.ts";

/** Adds a receiver of the wallet's events, and prints its secret. */
export async function add(
  context: Context,
  url: string,
  { after }: { after?: number },
): Promise<Result> {
  const { notices, signal } = context;
  const client = await connect(context);
  const data = await client.webhooks.create(
    { url, ...(after !== undefined && { after }) },
    { signal },
  );
  notices.notice("Store the secret: it is not shown again.");
  return { kind: "webhookSecret", data };
}

/** Lists the wallet's webhooks. */
export async function list(context: Context): Promise<Result> {
  const client = await connect(context);
  return { kind: "webhooks", data: await client.webhooks.list({ signal: context.signal }) };
}

/** Deletes a webhook. */
export async function remove(context: Context, id: string): Promise<Result> {
  const client = await connect(context);
  const data = await client.webhooks.delete(id, { signal: context.signal });
  return { kind: "webhookRemoved", data };
}

/** Makes new secrets, and prints them. */
export async function rotate(context: Context, id: string): Promise<Result> {
  const { notices, signal } = context;
  const client = await connect(context);
  const data = await client.webhooks.rotateSecret(id, { signal });
  notices.notice("The old secret signs beside this one until the time shown.");
  return { kind: "webhookSecret", data };
}
