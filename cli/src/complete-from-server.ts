import type { LaunchRecord } from "@tokenctl/sdk";
import { connect } from "./connect.ts";
import type { Notices } from "./context.ts";
import { type GlobalOptions, readSettings } from "./settings.ts";
import type { World } from "./world.ts";

/** What a word may become, and what that means. */
export interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** Whoever presses the tab key waits no longer than this, in milliseconds. */
const PATIENCE_MS = 2_000;
/** More launches are no help in a list to choose from. */
const MOST_LAUNCHES = 50;

const silent: Notices = { notice() {}, warn() {}, progress() {}, stop() {} };

/** The launches that a command can do something with. */
const USEFUL: Readonly<Record<string, (launch: LaunchRecord) => boolean>> = {
  cancel: ({ status }) => status === "pending",
  retry: ({ status }) => status === "failed" || status === "rate_limited",
};

/**
 * @param name of the argument to complete
 * @param command whose argument it is
 * @returns tickers of the wallet's tokens, or of its launches; none if the server does not answer
 */
export async function askServer(
  name: "mint" | "launch",
  command: string,
  options: GlobalOptions,
  env: World["env"],
): Promise<Candidate[]> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    const settings = readSettings(options, env);
    const client = await connect({ settings, notices: silent });
    if (name === "mint") {
      const { tokens } = await client.tokens({ signal });
      return tokens.map(({ ticker, tokenName }) => ({ value: ticker, about: tokenName }));
    }
    const { launches } = await client.launches({ limit: MOST_LAUNCHES, signal });
    const isUseful = Object.hasOwn(USEFUL, command) ? USEFUL[command] : undefined;
    // A ticker stands for the newest launch that has it.
    const newest = launches.filter(
      ({ ticker }, index) => launches.findIndex((one) => one.ticker === ticker) === index,
    );
    return newest
      .filter((launch) => isUseful?.(launch) ?? true)
      .map(({ eventId, ticker, status }) => ({ value: ticker, about: `${status}, ${eventId}` }));
  } catch {
    return [];
  }
}
