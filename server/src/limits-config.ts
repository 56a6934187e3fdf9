import type { EnvReader } from "./env-reader.ts";

/** How much the server takes on, and from whom. Rates are requests a minute; 0 means no limit. */
export interface LimitsConfig {
  /** Sign-in requests of one client address. */
  readonly authPerMinute: number;
  /**
   * Sign-in requests that name one wallet. Anyone may name it, so this is more than one address
   * may send: nobody alone can keep a wallet from signing in.
   */
  readonly walletPerMinute: number;
  /** Requests of one signed-in agent. */
  readonly agentPerMinute: number;
  /** Whether a proxy of ours says in `X-Forwarded-For` where a request came from. */
  readonly trustProxy: boolean;
  /** The most launches that may wait or be in progress. */
  readonly maxQueue: number;
}

const MAX_RATE = 1_000_000;

/** Reads the limits. */
export function readLimitsConfig(reader: EnvReader): LimitsConfig {
  return {
    authPerMinute: reader.integer("RATE_LIMIT_AUTH_PER_MINUTE", 600, 0, MAX_RATE),
    walletPerMinute: reader.integer("RATE_LIMIT_WALLET_PER_MINUTE", 1_200, 0, MAX_RATE),
    agentPerMinute: reader.integer("RATE_LIMIT_AGENT_PER_MINUTE", 600, 0, MAX_RATE),
    trustProxy: reader.flag("TRUST_PROXY", false),
    maxQueue: reader.integer("MAX_QUEUE", 10_000, 1, 10_000_000),
  };
}
