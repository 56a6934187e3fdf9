export const LAUNCH_STATUSES = ["pending", "success", "failed", "rate_limited"] as const;

/** The error of a launch that its own agent cancelled, on the wire. */
export const CANCELLED = "Cancelled by its agent";

export const LAUNCH_PAYERS = ["operator", "agent"] as const;
export type LaunchPayer = (typeof LAUNCH_PAYERS)[number];

export const CHAINS = ["local", "solana"] as const;
export type ChainName = (typeof CHAINS)[number];

/** The versions of the transactions that the service gives agents to sign. */
export const TRANSACTION_VERSIONS = ["legacy", 1] as const;
export type TransactionVersion = (typeof TRANSACTION_VERSIONS)[number];
