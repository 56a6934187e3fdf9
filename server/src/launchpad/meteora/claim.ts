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
  createAssociatedTokenAccountInstruction,
  createCloseAccountInstruction,
  getAssociatedTokenAddressSync,
  NATIVE_MINT,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import { PublicKey, type TransactionInstruction } from "@solana/web3.js";
import BN from "bn.js";
import type { TokenRef } from "../launchpad.ts";
import type { Curve } from "./curve-reader.ts";
import { claimablePositionFee, curveFees } from "./fees.ts";
import type { HeldPosition, LiquidityHolding } from "./liquidity-reader.ts";
import type { MeteoraPrograms } from "./programs.ts";

/**
 * Most positions that fit into one transaction. A token's agent has one position; a wallet with more
 * claims the richest first and the others with the next claim.
 */
const MAX_POSITIONS = 3;

/** Fees are in SOL alone, so a claim asks for none of the token. */
const NO_TOKENS = new BN(0);

/** The agent's accounts that receive fees. */
interface Receivers {
  readonly agent: PublicKey;
  readonly base: PublicKey;
  readonly quote: PublicKey;
}

/** What a claim takes, and for whom. */
export interface ClaimTerms {
  readonly agent: PublicKey;
  readonly curve: Curve;
  /** The pool after the curve; null before migration. */
  readonly holding: LiquidityHolding | null;
  /** Whether the agent has an account for wrapped SOL. */
  readonly hasWrappedSol: boolean;
  /** Whether the agent has an account for the token. */
  readonly hasTokenAccount: boolean;
  /** Pays the rents instead of the agent. */
  readonly sponsor?: PublicKey;
}

/**
 * @returns the addresses at which an agent may have accounts that a claim needs: for wrapped SOL, then
 * for the token, one for each program
 */
export function claimAccounts(agent: PublicKey, { tokenMint }: TokenRef): PublicKey[] {
  const mint = new PublicKey(tokenMint);
  const accountOf = (of: PublicKey, program: PublicKey) =>
    getAssociatedTokenAddressSync(of, agent, true, program);
  return [
    accountOf(NATIVE_MINT, TOKEN_PROGRAM_ID),
    accountOf(mint, TOKEN_PROGRAM_ID),
    accountOf(mint, TOKEN_2022_PROGRAM_ID),
  ];
}

/**
 * The instructions by which the agent takes the fees of a curve and of its positions in the pool
 * after it: create the agent's accounts if missing, claim what has fees, close what was created, and
 * unwrap the SOL. Both programs want an account for the token, although they pay no tokens into it.
 *
 * @returns null if there is nothing to claim
 */
export async function claimInstructions(
  programs: MeteoraPrograms,
  { agent, curve, holding, hasWrappedSol, hasTokenAccount, sponsor }: ClaimTerms,
): Promise<TransactionInstruction[] | null> {
  const { mint, tokenProgram } = curve.pool;
  const base = getAssociatedTokenAddressSync(mint, agent, true, tokenProgram);
  const quote = getAssociatedTokenAddressSync(NATIVE_MINT, agent, true);
  const receivers: Receivers = { agent, base, quote };
  const claims: Promise<TransactionInstruction>[] = [];
  if (curveFees(curve, agent.toBase58()).claimable > 0n) {
    claims.push(claimCurve(programs, curve, receivers));
  }
  if (holding) {
    for (const position of worthClaiming(holding)) {
      claims.push(claimPosition(programs, curve, holding, position, receivers));
    }
  }
  if (claims.length === 0) return null;
  const payer = sponsor ?? agent;
  // A sponsor gets its rent back only from an account that was not there before.
  const create = sponsor
    ? createAssociatedTokenAccountInstruction
    : createAssociatedTokenAccountIdempotentInstruction;
  const instructions = [
    ...(sponsor && hasWrappedSol ? [] : [create(payer, quote, agent, NATIVE_MINT)]),
    ...(await Promise.all(claims)),
    createCloseAccountInstruction(quote, agent, agent),
  ];
  if (hasTokenAccount) return instructions;
  return [
    create(payer, base, agent, mint, tokenProgram),
    ...instructions,
    createCloseAccountInstruction(base, payer, agent, [], tokenProgram),
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
    .claimCreatorTradingFee(NO_TOKENS, U64_MAX)
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
      tokenBaseProgram: curve.pool.tokenProgram,
      tokenQuoteProgram: TOKEN_PROGRAM_ID,
      eventAuthority: deriveDbcEventAuthority(),
      program: programs.curve.programId,
    })
    .instruction();
}

function claimPosition(
  programs: MeteoraPrograms,
  { pool: { mint, tokenProgram } }: Curve,
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
      tokenAProgram: tokenProgram,
      tokenBProgram: TOKEN_PROGRAM_ID,
      eventAuthority: deriveDammV2EventAuthority(),
      program: DAMM_V2_PROGRAM_ID,
    })
    .instruction();
}
