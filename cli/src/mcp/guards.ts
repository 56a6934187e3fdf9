/** The sets of tools for `--toolsets`. `status` is always on. */
export const toolsets = ["launch", "tokens", "fees", "events", "sandbox"] as const;

export type Toolset = (typeof toolsets)[number];

/** What the person who starts `tokenctl mcp` allows. No argument of a tool changes it. */
export interface Guards {
  readonly readOnly: boolean;
  readonly toolsets: readonly Toolset[];
  readonly maxLaunchesPerDay: number;
  /** Whether the server's chain may be other than a sandbox or a localnet. */
  readonly allowMainnet: boolean;
  /** Whether the client's user is asked before a launch or a claim. */
  readonly confirm: boolean;
  /** Absolute path of the only folder whose images may be uploaded; null for none. */
  readonly filesDir: string | null;
  /** Maximum cost of all claims of this process, SOL in plain digits. */
  readonly maxTotalFeeSol: string;
  /** The most that a launch may cost the wallet, SOL in plain digits; null if it pays for none. */
  readonly maxLaunchCostSol: string | null;
}
