import type { LaunchStatus, LaunchStatusName } from "@tokenctl/sdk";
import { isUuid } from "@tokenctl/shared/uuid";
import { CANCELLED } from "@tokenctl/shared/words";
import { CliError } from "./errors.ts";

export type KnownLaunch = Pick<LaunchStatus, "eventId"> & {
  readonly status: LaunchStatusName;
  /** Null if the reason is unknown. */
  readonly waitingFor?: string | null | undefined;
};

/** Suggests the next step for the wallet's launch. Checks its id, which a command will contain. */
export function nextStep({ eventId, status, waitingFor }: KnownLaunch): string {
  if (!isUuid(eventId)) return "`tokenctl launches` lists the wallet's launches";
  const drop = `\`tokenctl cancel ${eventId}\` drops it`;
  if (waitingFor === "agent_signature") return `\`tokenctl retry ${eventId}\` signs it, ${drop}`;
  if (status === "success") return `\`tokenctl status ${eventId}\` shows it`;
  if (status !== "pending") return `\`tokenctl retry ${eventId}\` launches it again`;
  const wait = `\`tokenctl status ${eventId} --wait\``;
  return waitingFor === null ? `${wait} continues it, ${drop}` : `${wait} waits for it`;
}

const STATES: Readonly<Record<LaunchStatusName, string>> = {
  pending: "is pending",
  success: "has made the token",
  failed: "ended without a token",
  rate_limited: "ended without a token",
};

/** Returns advice if the wallet's own launch holds the ticker; undefined if another's does. */
export function aboutOwnLaunch(own: Partial<KnownLaunch>): string | undefined {
  const { eventId, status } = own;
  if (eventId === undefined || status === undefined || !isUuid(eventId)) return undefined;
  const next = nextStep({ eventId, status, waitingFor: own.waitingFor ?? null });
  return `It is your own launch, which ${STATES[status]}: ${next}`;
}

export function launchEnded({ eventId, ticker, status, error }: LaunchStatus): CliError {
  const isRateLimited = status === "rate_limited";
  const what = isRateLimited
    ? `The launch of ${ticker} has to wait: this wallet has already launched a token today (UTC)`
    : `The launch of ${ticker} failed${error === null ? "" : `: ${error}`}`;
  const hold =
    error === CANCELLED
      ? "Its ticker is free, so another launch can take it"
      : "The server reserves its ticker for a limited time, 24 h by default";
  const when = isRateLimited ? "After midnight UTC, " : "";
  return new CliError(`launch_${status}`, what, {
    hint: `${when}${nextStep({ eventId, status })}. ${hold}`,
  });
}

/** A command about a launch failed, but the launch continues. `cause` is the reason. */
export class LaunchStaysError extends Error {
  constructor(
    readonly launch: KnownLaunch,
    cause: unknown,
  ) {
    super("The launch stays", { cause });
    this.name = "LaunchStaysError";
  }
}
