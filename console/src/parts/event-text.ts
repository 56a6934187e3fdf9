import type { AgentEvent } from "@tokenctl/sdk";
import type { IconName } from "./icon.tsx";
import type { Tone } from "./ui.tsx";

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
      return { text: `${ticker} was not launched: one token a day`, icon: "cross", tone: "warn" };
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
      return { text: `${ticker}: ${type}`, icon: "activity", tone: "plain" };
  }
}
