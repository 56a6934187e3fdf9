import { confirm } from "../confirm.ts";
import { connect } from "../connect.ts";
import type { Context } from "../context.ts";
import { orInterrupted } from "../interruption.ts";
import { readNetwork } from "../network.ts";
import { orTooOld } from "../newer-server.ts";
import { resolveLaunch } from "../resolve-token.ts";
import type { Result } from "../result.ts";

/**
 * Cancels a launch of which nothing was signed. It has then ended as asked, so this is no failure.
 *
 * @param name its event id or ticker
 */
export async function cancel(
  context: Context,
  name: string,
  { yes: isAgreed }: { yes?: boolean },
): Promise<Result> {
  const { signal } = context;
  const client = await connect(context);
  const eventId = await resolveLaunch(client, name, signal);
  const network = context.ask === null ? undefined : await readNetwork(client, signal);
  await confirm(context, `Cancel the launch ${name}`, { network, isAgreed });
  context.notices.progress("Cancelling the launch");
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
