import type { Connection } from "@solana/web3.js";
import { systemClock } from "../../base/clock.ts";
import { type Config, readEarningConfig } from "../../config/config.ts";
import { openForCollecting } from "../../data/open-for-export.ts";
import { clusterProblem } from "../../launchpad/chain/cluster.ts";
import type { PartnerProgram } from "../../launchpad/partner-program.ts";
import type { FeeCaps } from "../../solana/fees.ts";
import { openRpc } from "../../solana/open-rpc.ts";
import { openWallet } from "../../solana/open-wallet.ts";
import type { WalletSigner } from "../../solana/wallet-signer.ts";
import type { Store } from "../../store/store.ts";

/** A service's database and cluster, for what the operator earns. */
export interface OpenEarnings extends AsyncDisposable {
  readonly store: Pick<Store, "tokens" | "collections" | "chainBinding">;
  readonly connection: Connection;
  readonly wallet: WalletSigner;
  readonly partner: PartnerProgram;
  readonly feeCaps: FeeCaps;
}

/**
 * Opens them, while servers may run.
 *
 * @param isReadOnly whether the database is opened for reading only
 * @throws {Error} if a setting is wrong, there is no database, or it belongs to another cluster
 */
export async function openEarnings(
  env: Readonly<Record<string, string | undefined>>,
  isReadOnly: boolean,
): Promise<OpenEarnings> {
  const config = readEarningConfig(env);
  const wallet = await openWallet(config.launchWallet, systemClock);
  await using opened = new AsyncDisposableStack();
  const store = await openForCollecting(config, isReadOnly);
  opened.defer(() => store.close());
  const connection = opened.use(openRpc(config.rpcUrls)).connect();
  await requireItsCluster(store, connection, config);
  // Loaded last: it takes longer than everything else.
  const { meteoraPartner } = await import("../../launchpad/meteora/meteora-partner.ts");
  const untilClose = opened.move();
  return {
    store,
    connection,
    wallet,
    feeCaps: config.spending,
    partner: meteoraPartner(connection, wallet.publicKey),
    [Symbol.asyncDispose]: () => untilClose.disposeAsync(),
  };
}

/** @throws {Error} if the database belongs to another chain, or to none yet */
async function requireItsCluster(
  { chainBinding }: Pick<Store, "chainBinding">,
  connection: Connection,
  { dataDir, databaseUrl }: Pick<Config, "dataDir" | "databaseUrl">,
): Promise<void> {
  const place = databaseUrl === null ? dataDir : "The database";
  const bound = (await chainBinding.read())?.genesisHash ?? null;
  if (bound === null) {
    throw new Error(`${place} belongs to no cluster yet: start the server on it first.`);
  }
  const genesis = await connection.getGenesisHash();
  if (genesis !== bound) throw new Error(clusterProblem(bound, genesis));
}
