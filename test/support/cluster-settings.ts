import { generateKeypair } from "../../server/src/base/native-keys.ts";
import { type KeypairFile, writeKeypairFile } from "./keypair-file.ts";

const NO_NODE = "http://127.0.0.1:9";

/**
 * Settings with which a server starts on a cluster whose config does not exist, so that it accepts
 * launches and deploys none.
 *
 * @param folder gets the launch wallet's keypair
 */
export function clusterSettings(
  folder: string,
  rpcUrl = NO_NODE,
): { readonly env: Readonly<Record<string, string>>; readonly wallet: KeypairFile } {
  const wallet = writeKeypairFile(folder);
  const env = {
    CHAIN: "solana",
    RPC_URL: rpcUrl,
    LAUNCH_KEYPAIR: wallet.path,
    DBC_CONFIG: generateKeypair().publicKey.toBase58(),
    PUBLIC_URL: "https://tokens.example",
    MAX_DAILY_SPEND_SOL: "1",
  };
  return { env, wallet };
}
