import type { AgentEvent, LaunchStatus, WebhookDelivery } from "@tokenctl/sdk";
import { waitingText } from "@tokenctl/shared/waits-for";

export function waitingWords(launch: LaunchStatus): string {
  const text = waitingText(launch);
  return text === null ? "Waiting" : `Waiting for ${text}`;
}

export const reasonOf = ({ status, error }: Pick<LaunchStatus, "status" | "error">) =>
  error ?? (status === "rate_limited" ? ONE_A_DAY : "the service gave no reason");

const ONE_A_DAY = "one token a day";

export const STEPS = ["Accepted", "Signing", "Confirming", "On chain"] as const;

/** Returns the index in {@link STEPS} of the step that a launch has reached. */
export function stepOf({
  status,
  waitingFor,
}: Pick<LaunchStatus, "status" | "waitingFor">): number {
  if (status === "success") return 3;
  if (waitingFor === "confirmation" || waitingFor === "chain_stalled") return 2;
  return waitingFor === "deployment" ? 1 : 0;
}

/** Returns tickers in words, for example `HATS and 2 more`. */
export const tickersOf = (first: string, others: number) =>
  others > 0 ? `${first} and ${others} more` : first;

export function eventWords({ type, data }: AgentEvent): string {
  const ticker = data.ticker ?? "a token";
  const tickers = tickersOf(ticker, data.tokenMints.length - 1);
  switch (type) {
    case "launch.succeeded":
      return `${ticker} is on chain`;
    case "launch.failed":
      return `The launch of ${ticker} failed`;
    case "launch.rate_limited":
      return `${ticker} was not launched: ${ONE_A_DAY}`;
    case "claim.confirmed":
      return `You received the fees of ${tickers}`;
    case "claim.expired":
      return `A claim of ${tickers} expired and paid nothing`;
    case "token.migrated":
      return `${ticker} has left its bonding curve`;
    case "token.handed_over":
      return `${ticker} is handed over`;
    case "fees.claimable":
      return `The fees of ${ticker} reached your threshold`;
    default:
      return `There is news of ${ticker}`;
  }
}

const STATES = { pending: "waits", delivered: "was accepted", failed: "failed" } as const;

/** Returns for example `event 12 was accepted after 2 attempts`. */
export function deliveryWords({ kind, event, status, attempts }: WebhookDelivery): string {
  const message = event === null ? (kind === "test" ? "test" : "message") : `event ${event}`;
  const tries = attempts > 1 ? ` after ${attempts} attempts` : "";
  return `${message} ${STATES[status]}${tries}`;
}
