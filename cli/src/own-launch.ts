import type { LaunchStatusName } from "@tokenctl/sdk";
import { isUuid } from "@tokenctl/shared/uuid";

/**
 * @param launch the id and the status of the launch that has a ticker, as the server says
 * @returns what to do with it if it is the wallet's own; undefined otherwise
 */
export function aboutOwnLaunch({
  eventId,
  status,
}: {
  readonly eventId?: string | undefined;
  readonly status?: LaunchStatusName | undefined;
}): string | undefined {
  // A hostile server's text must not become a part of a command.
  if (eventId === undefined || !isUuid(eventId)) return undefined;
  if (status === "pending") {
    return `It is your own launch, which is pending: \`tokenctl status ${eventId} --wait\` waits for it`;
  }
  if (status === "success") {
    return `It is your own launch, which has made the token: \`tokenctl status ${eventId}\` shows it`;
  }
  return `It is your own launch, which ended without a token: \`tokenctl retry ${eventId}\` launches it again`;
}
