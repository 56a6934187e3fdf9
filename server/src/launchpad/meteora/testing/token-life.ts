import { MigrationFeeOption } from "@meteora-ag/dynamic-bonding-curve-sdk";
import type { Keypair } from "@solana/web3.js";
import { liquidityPoolAddress } from "../liquidity-reader.ts";
import { buy, migrate, sell } from "./curve-trades.ts";
import { launch, SOL, type TestLaunchpad, type TestToken } from "./launchpad.ts";
import { buyMigrated, sellMigrated } from "./liquidity-trades.ts";

export interface OwnedToken {
  readonly token: TestToken;
  readonly agent: Keypair;
}

/** More than any curve here takes, in lamports. */
const ALL_OF_IT = 400n * SOL;

export async function untraded(launchpad: TestLaunchpad): Promise<OwnedToken> {
  const agent = launchpad.cluster.wallet(SOL);
  return { token: await launch(launchpad, agent.publicKey), agent };
}

export async function traded(launchpad: TestLaunchpad, trader: Keypair): Promise<OwnedToken> {
  const { connection } = launchpad.cluster;
  const owned = await untraded(launchpad);
  const trade = { pool: owned.token.pool, trader };
  await buy(connection, trade, 7_123_456_789n);
  await sell(connection, trade, 1_234_567_654_321n);
  return owned;
}

/** A sold-out token that migrated, and was bought and sold in DAMM v2. */
export async function tradedAfterMigration(
  launchpad: TestLaunchpad,
  trader: Keypair,
  option = MigrationFeeOption.Customizable,
): Promise<OwnedToken> {
  const { connection } = launchpad.cluster;
  const owned = await untraded(launchpad);
  const { pool, mint } = owned.token;
  await buy(connection, { pool, trader }, ALL_OF_IT);
  await migrate(connection, pool, trader);
  const trade = { pool: liquidityPoolAddress(option, mint), trader };
  await buyMigrated(connection, trade, 10_000_000_001n);
  await sellMigrated(connection, trade, 1_234_567_654_321n);
  return owned;
}
