import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import { orInterrupted } from "../interruption.ts";
import { orTooOld } from "../newer-server.ts";
import type { Result } from "../result.ts";

/** Cancels a launch of which nothing was signed. It has then ended as asked, so this is no failure. */
export async function cancel(context: Context, eventId: string): Promise<Result> {
  const client = await connect(context);
  context.notices.progress("Cancelling the launch");
  const { signal } = context;
  const data = await orInterrupted(
    orTooOld(client.cancelLaunch(eventId, { signal }), "way to cancel launches", () =>
      client.login({ signal }),
    ),
    `\`tokenctl status ${eventId}\` shows whether it was cancelled`,
  );
  return {
    kind: "launch",
    data,
    next: [
      `The ticker ${data.ticker} is free again. \`tokenctl retry ${eventId}\` launches it after all`,
    ],
  };
}
