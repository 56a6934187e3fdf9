/** The sets of tools for `--toolsets`. `status` is always on. */
export const toolsets = ["launch", "tokens", "fees", "events", "sandbox"] as const;

export type Toolset = (typeof toolsets)[number];
