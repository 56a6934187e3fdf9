import type { AgentEvent, LaunchStatus, WebhookDelivery } from "@tokenctl/sdk";
import { waitingText } from "@tokenctl/shared/waits-for";
import type { IconName, Tone } from "./ui.tsx";

/** Returns what a pending launch waits for. */
export function waitingWords(launch: LaunchStatus): string {
  const text = waitingText(launch);
  return text === null ? "Waiting" : `Waiting for ${text}`;
}

/** Returns why a launch ended without a token. */
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

export interface Words {
  readonly text: string;
  readonly icon: IconName;
  readonly tone: Tone;
}

/** Returns tickers in words, for example `HATS and 2 more`. */
export const tickersOf = (first: string, others: number) =>
  others > 0 ? `${first} and ${others} more` : first;

export function eventWords({ type, data }: AgentEvent): Words {
  const ticker = data.ticker ?? "a token";
  const tickers = tickersOf(ticker, data.tokenMints.length - 1);
  switch (type) {
    case "launch.succeeded":
      return { text: `${ticker} is on chain`, icon: "check", tone: "good" };
    case "launch.failed":
      return { text: `The launch of ${ticker} failed`, icon: "cross", tone: "bad" };
    case "launch.rate_limited":
      return { text: `${ticker} was not launched: ${ONE_A_DAY}`, icon: "cross", tone: "warn" };
    case "claim.confirmed":
      return { text: `You received the fees of ${tickers}`, icon: "check", tone: "good" };
    case "claim.expired":
      return {
        text: `A claim of ${tickers} expired and paid nothing`,
        icon: "clock",
        tone: "warn",
      };
    case "token.migrated":
      return { text: `${ticker} has left its bonding curve`, icon: "launch", tone: "good" };
    case "token.handed_over":
      return { text: `${ticker} is handed over`, icon: "check", tone: "plain" };
    case "fees.claimable":
      return { text: `The fees of ${ticker} reached your threshold`, icon: "bell", tone: "plain" };
    default:
      return { text: `There is news of ${ticker}`, icon: "activity", tone: "plain" };
  }
}

const STATES = { pending: "waits", delivered: "was accepted", failed: "failed" } as const;

/** Returns for example `event 12 was accepted after 2 attempts`. */
export function deliveryWords({ kind, event, status, attempts }: WebhookDelivery): string {
  const message = event === null ? (kind === "test" ? "test" : "message") : `event ${event}`;
  const again = kind === "replay" ? ", sent again," : "";
  const tries = attempts > 1 ? ` after ${attempts} attempts` : "";
  return `${message}${again} ${STATES[status]}${tries}`;
}
