import { getTokenProgram } from "@meteora-ag/cp-amm-sdk";
import { NATIVE_MINT, TOKEN_PROGRAM_ID } from "@solana/spl-token";
import type { Connection, Keypair, PublicKey } from "@solana/web3.js";
import BN from "bn.js";
import { meteoraClients } from "./clients.ts";
import { send } from "./send.ts";

/** A trade of a wallet in a DAMM v2 pool of a token against SOL. */
export interface LiquidityTrade {
  readonly pool: PublicKey;
  readonly trader: Keypair;
}

/**
 * Buys in a DAMM v2 pool.
 *
 * @param lamports to spend, fee included
 * @returns the signature
 */
export function buyMigrated(
  connection: Connection,
  trade: LiquidityTrade,
  lamports: bigint,
): Promise<string> {
  return swap(connection, trade, lamports, "buy");
}

/**
 * Sells in a DAMM v2 pool.
 *
 * @param units of the token's smallest unit
 * @returns the signature
 */
export function sellMigrated(
  connection: Connection,
  trade: LiquidityTrade,
  units: bigint,
): Promise<string> {
  return swap(connection, trade, units, "sell");
}

async function swap(
  connection: Connection,
  { pool, trader }: LiquidityTrade,
  amount: bigint,
  side: "buy" | "sell",
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
