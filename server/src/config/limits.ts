import { limits } from "@tokenctl/shared/limits";
import { ADMISSION_MODES, type AdmissionMode } from "../domain/admission.ts";
import type { LaunchLimits } from "../domain/intake-limits.ts";
import { type SharePercents, type Shares, sharesOf } from "../domain/shares.ts";
import type { ChainConfig } from "./chain.ts";
import type { EnvReader } from "./env-reader.ts";

const isAdmissionMode = (value: string): value is AdmissionMode =>
  (ADMISSION_MODES as readonly string[]).includes(value);

interface WaitingLimits extends LaunchLimits {
  /** How long a launch may wait until it is signed, in milliseconds. */
  readonly maxWaitMs: number;
}

/**
 * How long events are kept, how many clients may wait for them, and how often the chain is asked for
 * some; `Infinity` is no limit.
 */
interface EventLimits {
  /** Milliseconds. */
  readonly retentionMs: number;
  /** Of streams and waiting requests at the server. */
  readonly streams: Shares;
  /** Milliseconds between two rounds over the pools of tokens. */
  readonly watchEveryMs: number;
}

/** How many requests and launches are accepted, and from whom. Rates are requests per minute; 0 is no limit. */
export interface LimitsConfig {
  /** Sign-in requests of one client address. */
  readonly authPerMinute: number;
  /**
   * Sign-in requests that name one wallet. Anyone may name it, so this is more than one address may
   * send: one address alone cannot keep a wallet from signing in.
   */
  readonly walletPerMinute: number;
  /** Requests of one signed-in agent. */
  readonly agentPerMinute: number;
  /** Requests of one client address for which nobody signs in. */
  readonly publicPerMinute: number;
  /** Whether the operator's proxy sets `X-Forwarded-For` to the client's address. */
  readonly trustProxy: boolean;
  /** What part of a shared resource one client address, and one network, may hold. */
  readonly shares: SharePercents;
  /** Whether clients on this machine count for no address: on a sandbox all of its users are there. */
  readonly exemptsLoopback: boolean;
  /** Whether the launch wallet pays in advance for claims of agents without SOL. */
  readonly sponsorsClaims: boolean;
  readonly launches: WaitingLimits;
  /** What an agent's wallet must hold to launch, in lamports. */
  readonly minAgentLamports: bigint;
  readonly images: ImageLimits;
  readonly events: EventLimits;
  /** Webhooks of one agent; `Infinity` is no limit. */
  readonly maxWebhooksOfAgent: number;
}

/** How many images are accepted; `Infinity` is no limit. */
interface ImageLimits {
  /** New images of one agent in 24 hours. */
  readonly maxOfAgent: number;
  /** Bytes of new images in 24 hours. */
  readonly space: Shares;
}

const MAX_RATE = 1_000_000;
const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Reads the limits. */
export function readLimitsConfig(reader: EnvReader, chain: ChainConfig["chain"]): LimitsConfig {
  const shares = {
    address: reader.integer("ADDRESS_SHARE", 1, 0, 100),
    network: reader.integer("NETWORK_SHARE", 10, 0, 100),
  };
  const imagesOfAgent = orUnlimited(reader.integer("MAX_IMAGES_PER_AGENT", 20, 0, MAX_RATE));
  return {
    authPerMinute: reader.integer("RATE_LIMIT_AUTH_PER_MINUTE", 600, 0, MAX_RATE),
    walletPerMinute: reader.integer("RATE_LIMIT_WALLET_PER_MINUTE", 1_200, 0, MAX_RATE),
    agentPerMinute: reader.integer("RATE_LIMIT_AGENT_PER_MINUTE", 600, 0, MAX_RATE),
    publicPerMinute: reader.integer("RATE_LIMIT_PUBLIC_PER_MINUTE", 600, 0, MAX_RATE),
    trustProxy: reader.flag("TRUST_PROXY", false),
    shares,
    exemptsLoopback: chain === "local",
    sponsorsClaims: reader.flag("SPONSOR_CLAIMS", true),
    launches: { ...readLaunchLimits(reader, chain), shares },
    minAgentLamports: reader.sol("MIN_AGENT_SOL", 0n),
    images: {
      maxOfAgent: imagesOfAgent,
      space: sharesOf(
        MIB * orUnlimited(reader.integer("MAX_IMAGES_MB", 1_000, 0, MAX_RATE)),
        imagesOfAgent * limits.image.bytes,
        shares,
      ),
    },
    maxWebhooksOfAgent: orUnlimited(reader.integer("MAX_WEBHOOKS_PER_AGENT", 5, 0, MAX_RATE)),
    events: {
      retentionMs: orUnlimited(reader.integer("EVENT_RETENTION_DAYS", 30, 0, 3_650)) * DAY_MS,
      streams: sharesOf(
        orUnlimited(reader.integer("MAX_STREAMS", 10_000, 0, MAX_RATE)),
        orUnlimited(reader.integer("MAX_STREAMS_PER_AGENT", 8, 0, MAX_RATE)),
        shares,
      ),
      // The sandbox's chain is in the process.
      watchEveryMs:
        1000 * reader.integer("POOL_WATCH_SECONDS", chain === "local" ? 5 : 60, 1, 3_600),
    },
  };
}

function readLaunchLimits(
  reader: EnvReader,
  chain: ChainConfig["chain"],
): Omit<WaitingLimits, "shares"> {
  // A sandbox's SOL is free.
  const perAddress = chain === "local" ? 0 : 10;
  return {
    admission: reader.oneOf("ADMISSION", "open", ADMISSION_MODES, isAdmissionMode),
    maxPerHour: orUnlimited(reader.integer("MAX_LAUNCHES_PER_HOUR", 0, 0, MAX_RATE)),
    maxPending: orUnlimited(reader.integer("MAX_QUEUE", 10_000, 0, 10_000_000)),
    maxOfAgent: orUnlimited(reader.integer("MAX_LAUNCHES_PER_AGENT", 20, 0, MAX_RATE)),
    maxOfAddress: orUnlimited(reader.integer("MAX_LAUNCHES_PER_ADDRESS", perAddress, 0, MAX_RATE)),
    maxWaitMs: orUnlimited(reader.integer("MAX_WAIT_HOURS", 24, 0, 87_600)) * HOUR_MS,
    tickerHoldMs: reader.integer("TICKER_HOLD_HOURS", 24, 0, 87_600) * HOUR_MS,
  };
}

/** In every setting of a limit 0 means none. */
function orUnlimited(limit: number): number {
  return limit === 0 ? Number.POSITIVE_INFINITY : limit;
}
