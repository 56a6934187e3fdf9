import { systemClock } from "../base/clock.ts";
import { readClusterConfig } from "../config/chain.ts";
import { EnvReader } from "../config/env-reader.ts";
import { configShortage } from "../launchpad/meteora/config-cost.ts";
import type { ConfigTerms } from "../launchpad/meteora/config-terms.ts";
import { createConfig } from "../launchpad/meteora/create-config.ts";
import { openRpc } from "../solana/open-rpc.ts";
import { openWallet } from "../solana/open-wallet.ts";
import { sendAndConfirm } from "../solana/send-and-confirm.ts";

export interface ConfigCreateOptions extends ConfigTerms {
  readonly json?: boolean;
}

/**
 * `tokend config create`: makes a DBC config on chain, paid by the launch wallet, and prints its
 * address.
 *
 * @throws {Error} if the wallet cannot pay, before anything is sent, or if the chain refuses it
 */
export async function configCreate({ json, ...terms }: ConfigCreateOptions): Promise<void> {
  const reader = new EnvReader(process.env);
  const { rpcUrls, launchWallet, spending } = readClusterConfig(reader);
  reader.finish();
  const payer = await openWallet(launchWallet, systemClock);
  const connection = openRpc(rpcUrls).connect();
  const shortage = await configShortage(connection, payer.publicKey);
  if (shortage !== null) throw new Error(shortage);
  const { config, instructions, signers } = await createConfig(connection, payer.publicKey, terms);
  const signature = await sendAndConfirm({
    connection,
    payer,
    purpose: "config",
    instructions,
    signers,
    feeCaps: spending,
    clock: systemClock,
    onSigned: (signed) => console.error(`Sending transaction ${signed} for config ${config} …`),
  });
  if (json) {
    console.log(JSON.stringify({ config: config.toBase58(), signature }));
    return;
  }
  console.log(`Config       ${config}\nTransaction  ${signature}`);
  console.log(`\nStart the server with DBC_CONFIG=${config}`);
}
