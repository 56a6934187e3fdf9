import type { TransactionInstruction } from "@solana/web3.js";
import type { TokenRef } from "../../domain/token.ts";
import type { FeeSource } from "../pool-program.ts";
import type { MeteoraPrograms } from "./programs.ts";

/**
 * Whose fees a vault holds: both programs' claims name the vault beside the mint. The vault's owner
 * does not say it, because each program has one authority for all pools.
 *
 * See `PoolProgram.sourceOf`.
 */
export function sourceOf(
  { curve, liquidity }: MeteoraPrograms,
  vault: string,
  tokens: readonly TokenRef[],
  instructions: readonly TransactionInstruction[],
): FeeSource | null {
  for (const { programId, keys } of instructions) {
    const isCurve = programId.equals(curve.programId);
    if (!isCurve && !programId.equals(liquidity.programId)) continue;
    const addresses = new Set(keys.map(({ pubkey }) => pubkey.toBase58()));
    if (!addresses.has(vault)) continue;
    const token = tokens.find(({ tokenMint }) => addresses.has(tokenMint));
    if (!token) return null;
    return { tokenMint: token.tokenMint, kind: isCurve ? "bondingCurve" : "liquidityPool" };
  }
  return null;
}
