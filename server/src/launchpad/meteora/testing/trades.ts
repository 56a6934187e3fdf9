import { getTokenProgram } from "@meteora-ag/cp-amm-sdk";
import {
  DAMM_V2_MIGRATION_FEE_ADDRESS,
  MigrationFeeOption,
  SwapMode,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import { NATIVE_MINT, TOKEN_PROGRAM_ID } from "@solana/spl-token";
import type { Connection, Keypair, PublicKey } from "@solana/web3.js";
import type { TransactionVersion } from "@tokenctl/shared/words";
import BN from "bn.js";
import { liquidityPoolAddress } from "../liquidity-reader.ts";
import { launch, SOL, type TestLaunchpad, type TestToken } from "./launchpad.ts";
import { meteoraClients } from "./sdk.ts";
import { send } from "./send.ts";

interface Trade {
  readonly pool: PublicKey;
  readonly trader: Keypair;
}

// Each returns the signature. Lamports include the fee; units are the token's smallest.

/** Buys on a curve. What the curve no longer takes stays with the trader. */
export function buy(connection: Connection, trade: Trade, lamports: bigint): Promise<string> {
  return swapOnCurve(connection, trade, lamports, {
    swapBaseForQuote: false,
    swapMode: SwapMode.PartialFill,
  });
}

export function sell(connection: Connection, trade: Trade, units: bigint): Promise<string> {
  return swapOnCurve(connection, trade, units, {
    swapBaseForQuote: true,
    swapMode: SwapMode.ExactIn,
  });
}

async function swapOnCurve(
  connection: Connection,
  { pool, trader }: Trade,
  amount: bigint,
  how: { swapBaseForQuote: boolean; swapMode: SwapMode.PartialFill | SwapMode.ExactIn },
): Promise<string> {
  const { instructions } = await meteoraClients(connection).curve.pool.swap2({
    ...how,
    owner: trader.publicKey,
    pool,
    amountIn: new BN(amount.toString()),
    minimumAmountOut: new BN(0),
    referralTokenAccount: null,
  });
  return send(connection, instructions, [trader]);
}

/** Migrates a sold-out curve to DAMM v2, as anyone can. */
export async function migrate(
  connection: Connection,
  pool: PublicKey,
  payer: Keypair,
  version: TransactionVersion = "legacy",
): Promise<string> {
  const client = meteoraClients(connection).curve;
  const curve = await client.state.getPool(pool);
  const config = curve && (await client.state.getPoolConfig(curve.poolState.config));
  const dammConfig = config && DAMM_V2_MIGRATION_FEE_ADDRESS[config.migrationFeeOption];
  if (!dammConfig) throw new Error(`${pool} is not a pool that can migrate`);
  const { transaction, firstPositionNftKeypair, secondPositionNftKeypair } =
    await client.migration.migrateToDammV2({ payer: payer.publicKey, pool, dammConfig });
  const signers = [payer, firstPositionNftKeypair, secondPositionNftKeypair] as const;
  return send(connection, transaction.instructions, [...signers], version);
}

/** Buys in a DAMM v2 pool, or sells there. */
async function tradeMigrated(
  connection: Connection,
  { pool, trader }: Trade,
  [side, amount]: readonly ["buy", lamports: bigint] | readonly ["sell", units: bigint],
): Promise<string> {
  const amm = meteoraClients(connection).liquidity;
  const poolState = await amm.fetchPoolState(pool);
  const { tokenAMint, tokenBMint, tokenAVault, tokenBVault } = poolState;
  const { instructions } = await amm.swap({
    payer: trader.publicKey,
    pool,
    poolState,
    inputTokenMint: side === "buy" ? NATIVE_MINT : tokenAMint,
    outputTokenMint: side === "buy" ? tokenAMint : NATIVE_MINT,
    amountIn: new BN(amount.toString()),
    minimumAmountOut: new BN(0),
    tokenAMint,
    tokenBMint,
    tokenAVault,
    tokenBVault,
    tokenAProgram: getTokenProgram(poolState.tokenAFlag),
    tokenBProgram: TOKEN_PROGRAM_ID,
    referralTokenAccount: null,
  });
  return send(connection, instructions, [trader]);
}

export const buyMigrated = (connection: Connection, trade: Trade, lamports: bigint) =>
  tradeMigrated(connection, trade, ["buy", lamports]);

export interface OwnedToken {
  readonly token: TestToken;
  readonly agent: Keypair;
}

export async function untraded(launchpad: TestLaunchpad): Promise<OwnedToken> {
  const agent = launchpad.cluster.wallet(SOL);
  return { token: await launch(launchpad, agent.publicKey), agent };
}

/** A token that was bought and sold on its curve. */
export async function traded(launchpad: TestLaunchpad, trader: Keypair): Promise<OwnedToken> {
  const { connection } = launchpad.cluster;
  const owned = await untraded(launchpad);
  const trade = { pool: owned.token.pool, trader };
  await buy(connection, trade, 7_123_456_789n);
  await sell(connection, trade, 1_234_567_654_321n);
  return owned;
}

/** A sold-out token that migrated. @returns the pool that it became */
export async function soldOut(
  { cluster: { connection } }: Pick<TestLaunchpad, "cluster">,
  { pool, mint }: TestToken,
  trader: Keypair,
  option = MigrationFeeOption.Customizable,
): Promise<PublicKey> {
  // More than any curve here takes.
  await buy(connection, { pool, trader }, 400n * SOL);
  await migrate(connection, pool, trader);
  return liquidityPoolAddress(option, mint);
}

/** A sold-out token that migrated, and was bought and sold in DAMM v2. */
export async function tradedAfterMigration(
  launchpad: TestLaunchpad,
  trader: Keypair,
  option = MigrationFeeOption.Customizable,
): Promise<OwnedToken> {
  const { connection } = launchpad.cluster;
  const owned = await untraded(launchpad);
  const trade = { pool: await soldOut(launchpad, owned.token, trader, option), trader };
  await buyMigrated(connection, trade, 10_000_000_001n);
  await tradeMigrated(connection, trade, ["sell", 1_234_567_654_321n]);
  return owned;
}
