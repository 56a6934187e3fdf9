/** The sets of tools that can be switched on with `--toolsets`. `status` is always on. */
export const toolsets = ["launch", "tokens", "fees", "events", "sandbox"] as const;

export type Toolset = (typeof toolsets)[number];

/**
 * What the person who starts `tokenctl mcp` allows. Nothing that a client sends changes it: tools get
 * these values, and have no argument for them.
 */
export interface Guards {
  /** Offers only tools that change nothing, whatever else is allowed. */
  readonly readOnly: boolean;
  readonly toolsets: readonly Toolset[];
  /** Launches of the wallet in a UTC day, at least 1. */
  readonly maxLaunchesPerDay: number;
  /** Whether servers may be used whose chain is neither a sandbox nor a localnet. */
  readonly allowMainnet: boolean;
  /** Whether the client's user is asked before a launch or a claim; without, none is refused for it. */
  readonly confirm: boolean;
  /** The only folder whose images may be uploaded, an absolute path; null for none. */
  readonly filesDir: string | null;
  /** SOL in plain digits that all claims of this process may cost. */
  readonly maxTotalFeeSol: string;
}
