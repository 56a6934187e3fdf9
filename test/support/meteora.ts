import { Connection, type PublicKey } from "@solana/web3.js";
import { writeKeypairFile } from "./cluster-settings.ts";
import { airdrop } from "./node.ts";
import { run } from "./processes.ts";

/**
 * Makes a funded launch wallet and, with `tokend config create`, a config to launch under.
 *
 * @param terms options of `config create`
 * @returns the settings with which a server launches there
 */
export async function configureMeteora(
  tokend: string,
  folder: string,
  rpcUrl: string,
  ...terms: readonly string[]
): Promise<{ env: Record<string, string>; launchWallet: PublicKey }> {
  const { path, keypair: wallet } = writeKeypairFile(folder);
  await airdrop(new Connection(rpcUrl, "confirmed"), wallet.publicKey, 1e13);
  const env = {
    CHAIN: "solana",
    RPC_URL: rpcUrl,
    LAUNCH_KEYPAIR: path,
    PUBLIC_URL: "https://tokens.example",
  };
  const made = await run([tokend, "config", "create", "--json", ...terms], folder, env);
  if (made.exitCode !== 0) throw new Error(`config create failed:\n${made.stderr}`);
  const { config } = JSON.parse(made.stdout) as { config: string };
  const limits = {
    MAX_DAILY_SPEND_SOL: "unlimited",
    // All agents of a test come from this machine.
    MAX_LAUNCHES_PER_ADDRESS: "0",
    MAX_QUEUE: "0",
  };
  return { env: { ...env, ...limits, DBC_CONFIG: config }, launchWallet: wallet.publicKey };
}
