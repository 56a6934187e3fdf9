import { DAMM_V2_MIGRATION_FEE_ADDRESS, SwapMode } from "@meteora-ag/dynamic-bonding-curve-sdk";
import type { Connection, Keypair, PublicKey } from "@solana/web3.js";
import type { TransactionVersion } from "@tokenctl/shared/words";
import BN from "bn.js";
import { meteoraClients } from "./clients.ts";
import { send } from "./send.ts";

export interface CurveTrade {
  readonly pool: PublicKey;
  readonly trader: Keypair;
}

/**
 * Buys on a curve. What the curve no longer takes stays with the trader.
 *
 * @param lamports to spend, fee included
 * @returns the signature
 */
export function buy(connection: Connection, trade: CurveTrade, lamports: bigint): Promise<string> {
  return swap(connection, trade, lamports, {
    swapBaseForQuote: false,
    swapMode: SwapMode.PartialFill,
  });
}

/**
 * Sells on a curve.
 *
 * @param units of the token's smallest unit
 * @returns the signature
 */
export function sell(connection: Connection, trade: CurveTrade, units: bigint): Promise<string> {
  return swap(connection, trade, units, { swapBaseForQuote: true, swapMode: SwapMode.ExactIn });
}

async function swap(
  connection: Connection,
  { pool, trader }: CurveTrade,
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

/**
 * Migrates a sold-out curve to DAMM v2, as anyone can.
 *
 * @returns the signature
 */
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
