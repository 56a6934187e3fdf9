import { derivePoolAuthority } from "@meteora-ag/cp-amm-sdk";
import {
  DAMM_V2_PROGRAM_ID,
  deriveDammV2EventAuthority,
  deriveDbcEventAuthority,
  deriveDbcPoolAuthority,
  U64_MAX,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import type { PublicKey, TransactionInstruction } from "@solana/web3.js";
import type { Curve } from "./curve-reader.ts";
import { claimablePositionFee, curveFees } from "./fees.ts";
import type { HeldPosition, LiquidityHolding } from "./liquidity-reader.ts";
import type { MeteoraPrograms } from "./programs.ts";

/**
 * Most positions that fit into one transaction. A token's agent has one position; a wallet with more
 * claims the richest first and the others with the next claim.
 */
const MAX_POSITIONS = 3;

/** The agent's accounts that receive fees. */
interface Receivers {
  readonly agent: PublicKey;
  readonly base: PublicKey;
  readonly quote: PublicKey;
}

/**
 * The instructions by which the agent takes the fees of a curve and of its positions in the pool
 * after it: create the agent's accounts if missing, claim what has fees, unwrap the SOL.
 *
 * @returns null if there is nothing to claim
 */
export async function claimInstructions(
  programs: MeteoraPrograms,
  agent: PublicKey,
  curve: Curve,
  holding: LiquidityHolding | null,
): Promise<TransactionInstruction[] | null> {
  const { mint } = curve.pool;
  const receivers: Receivers = {
    agent,
    base: getAssociatedTokenAddressSync(mint, agent, true),
    quote: getAssociatedTokenAddressSync(NATIVE_MINT, agent, true),
  };
  const claims: Promise<TransactionInstruction>[] = [];
  if (curveFees(curve, agent.toBase58()).claimable > 0n) {
    claims.push(claimCurve(programs, curve, receivers));
  }
  if (holding) {
    for (const position of worthClaiming(holding)) {
      claims.push(claimPosition(programs, mint, holding, position, receivers));
    }
  }
  if (claims.length === 0) return null;
  return [
    createAssociatedTokenAccountIdempotentInstruction(agent, receivers.base, agent, mint),
    createAssociatedTokenAccountIdempotentInstruction(agent, receivers.quote, agent, NATIVE_MINT),
    ...(await Promise.all(claims)),
    createCloseAccountInstruction(receivers.quote, agent, agent),
  ];
}

function worthClaiming({ pool, positions }: LiquidityHolding): HeldPosition[] {
  return positions
    .map((position) => ({ position, fee: claimablePositionFee(pool, position) }))
    .filter(({ fee }) => fee > 0n)
    .sort((a, b) => (a.fee < b.fee ? 1 : -1))
    .slice(0, MAX_POSITIONS)
    .map(({ position }) => position);
}

function claimCurve(programs: MeteoraPrograms, curve: Curve, { agent, base, quote }: Receivers) {
  return programs.curve.methods
    .claimCreatorTradingFee(U64_MAX, U64_MAX)
    .accountsStrict({
      poolAuthority: deriveDbcPoolAuthority(),
      pool: curve.address,
      tokenAAccount: base,
      tokenBAccount: quote,
      baseVault: curve.pool.baseVault,
      quoteVault: curve.pool.quoteVault,
      baseMint: curve.pool.mint,
      quoteMint: NATIVE_MINT,
      creator: agent,
      tokenBaseProgram: TOKEN_PROGRAM_ID,
      tokenQuoteProgram: TOKEN_PROGRAM_ID,
      eventAuthority: deriveDbcEventAuthority(),
      program: programs.curve.programId,
    })
    .instruction();
}

function claimPosition(
  programs: MeteoraPrograms,
  mint: PublicKey,
  holding: LiquidityHolding,
  position: HeldPosition,
  { agent, base, quote }: Receivers,
) {
  return programs.liquidity.methods
    .claimPositionFee()
    .accountsStrict({
      poolAuthority: derivePoolAuthority(),
      pool: holding.address,
      position: position.address,
      tokenAAccount: base,
      tokenBAccount: quote,
      tokenAVault: holding.pool.tokenAVault,
      tokenBVault: holding.pool.tokenBVault,
      tokenAMint: mint,
      tokenBMint: NATIVE_MINT,
      positionNftAccount: position.nftAccount,
      signer: agent,
      tokenAProgram: TOKEN_PROGRAM_ID,
      tokenBProgram: TOKEN_PROGRAM_ID,
      eventAuthority: deriveDammV2EventAuthority(),
      program: DAMM_V2_PROGRAM_ID,
    })
    .instruction();
}
