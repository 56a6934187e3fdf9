/** Words of the contract and of the settings, as lists. */
export const LAUNCH_STATUSES = ["pending", "success", "failed", "rate_limited"] as const;

/** Who pays for a launch. */
export const LAUNCH_PAYERS = ["operator", "agent"] as const;
export type LaunchPayer = (typeof LAUNCH_PAYERS)[number];

/** The sandbox, or a cluster. */
export const CHAINS = ["local", "solana"] as const;
export type ChainName = (typeof CHAINS)[number];
