/** What each room of the server may import beside itself, `base/` and `shared/`. */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  base: [],
  domain: [],
  config: [],
  solana: [],
  localnet: ["localnet/rpc"],
  "localnet/rpc": ["localnet"],
  store: [],
  "store/sqlite": ["store"],
  "store/postgres": ["store"],
  launchpad: [],
  data: ["config", "store", "store/sqlite", "store/postgres"],
  http: ["config"],
  "launchpad/chain": ["launchpad", "solana"],
  "launchpad/meteora": ["launchpad", "solana"],
  "launchpad/local": ["launchpad", "launchpad/chain", "solana", "localnet", "localnet/rpc"],
  worker: ["store", "launchpad"],
  // All modules share one rule.
  "modules/tokens": ["http", "store", "launchpad"],
  "modules/health": ["http", "store", "launchpad"],
  metrics: ["launchpad", "http", "store", "solana", "config", "modules/health"],
};
