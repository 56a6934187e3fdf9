import type { LaunchStatusName } from "@tokenctl/sdk";
import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import { orTooOld } from "../newer-server.ts";
import type { Result } from "../result.ts";

/** Lists the wallet's launches, newest first. */
export async function launches(
  context: Context,
  { status, limit }: { status?: LaunchStatusName; limit?: number },
): Promise<Result> {
  const client = await connect(context);
  context.notices.progress("Asking for the launches");
  const { signal } = context;
  const request = client.launches({ status, limit, signal });
  const data = await orTooOld(request, "list of launches", () => client.login({ signal }));
  if (data.launches.length > 0 || status === undefined) return { kind: "launches", data };
  const others = await client.launches({ limit: 1, signal });
  const filtered = `No launch of this wallet has the status ${status}; it has others.`;
  return { kind: "launches", data, ...(others.launches.length > 0 && { filtered }) };
}
