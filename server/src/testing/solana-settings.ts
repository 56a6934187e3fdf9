/** The least settings of a server for a real cluster; nothing answers at its addresses. */
export const SOLANA_SETTINGS = {
  CHAIN: "solana",
  RPC_URL: "https://rpc.example.com",
  LAUNCH_KEYPAIR: "/keys/launch.json",
  DBC_CONFIG: "11111111111111111111111111111111",
  PUBLIC_URL: "https://tokens.example.com",
  MAX_DAILY_SPEND_SOL: "1",
};
