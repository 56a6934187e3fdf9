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
import { type AccountInfo, PublicKey, type TransactionInstruction } from "@solana/web3.js";
import BN from "bn.js";
import type { TokenRef } from "../../domain/token.ts";
import type { FeeSource, TokenClaim } from "../pool-program.ts";
import { type AgentClaimOptions, wrappedSolAccount } from "../wrapped-sol.ts";
import type { Curve } from "./curve-reader.ts";
import {
  claimablePositionFee,
  curveFees,
  type HeldPosition,
  type HeldToken,
  type LiquidityHolding,
} from "./liquidity-reader.ts";
import type { MeteoraPrograms } from "./programs.ts";

/** Most positions that fit. An agent has one; a wallet with more claims the richest first. */
const MAX_POSITIONS = 3;

/** Fees are in SOL alone, so a claim asks for none of the token. */
export const NO_TOKENS = new BN(0);

/** A wallet, and its accounts for the token and for wrapped SOL. */
export interface Receivers {
  readonly agent: PublicKey;
  readonly base: PublicKey;
  readonly quote: PublicKey;
}

export function receiversOf(agent: PublicKey, { mint, tokenProgram }: Curve["pool"]): Receivers {
  const base = getAssociatedTokenAddressSync(mint, agent, true, tokenProgram);
  return { agent, base, quote: wrappedSolAccount(agent) };
}

export interface ClaimedToken extends HeldToken {
  readonly hasAccount: boolean;
}

/** @param accounts of all tokens: those at the addresses that {@link tokenAccounts} returns for each */
export function hasAccountFor(
  { pool }: Curve,
  accounts: readonly (AccountInfo<Buffer> | null | undefined)[],
  index: number,
): boolean {
  const own = accounts.slice(2 * index, 2 * index + 2);
  return own.some((account) => account?.owner.equals(pool.tokenProgram));
}

/** @returns the addresses at which an agent may have an account for a token: one for each program */
export function tokenAccounts(agent: PublicKey, { tokenMint }: TokenRef): [PublicKey, PublicKey] {
  const mint = new PublicKey(tokenMint);
  return [
    getAssociatedTokenAddressSync(mint, agent, true, TOKEN_PROGRAM_ID),
    getAssociatedTokenAddressSync(mint, agent, true, TOKEN_2022_PROGRAM_ID),
  ];
}

/**
 * The instructions by which the agent takes the fees of a curve and of its positions, as wrapped
 * SOL; null without fees. Both programs require the agent's account for the token, although they
 * pay nothing into it: it is made if it is missing, and then closed.
 */
export async function claimInstructions(
  programs: MeteoraPrograms,
  { agent, sponsor }: AgentClaimOptions,
  { curve, holding, hasAccount }: ClaimedToken,
): Promise<Omit<TokenClaim, "token"> | null> {
  const { mint, tokenProgram } = curve.pool;
  const receivers = receiversOf(agent, curve.pool);
  const claims: { instruction: TransactionInstruction; lamports: bigint }[] = [];
  const { claimable } = curveFees(curve, agent.toBase58());
  if (claimable > 0n) {
    const instruction = await claimCurve(programs, curve, receivers);
    claims.push({ instruction, lamports: claimable });
  }
  if (holding) {
    for (const position of worthClaiming(holding)) {
      const claimed = { curve, holding, position };
      const instruction = await claimPosition(programs, claimed, receivers);
      claims.push({ instruction, lamports: claimablePositionFee(holding.pool, position) });
    }
  }
  const [richest] = claims.toSorted((a, b) => (a.lamports < b.lamports ? 1 : -1));
  if (!richest) return null;
  const payer = sponsor ?? agent;
  // A sponsor gets its rent back only from an account that was not there before.
  const make = sponsor
    ? createAssociatedTokenAccountInstruction
    : createAssociatedTokenAccountIdempotentInstruction;
  const take = (taken: typeof claims) => {
    const instructions = taken.map(({ instruction }) => instruction);
    const lamports = taken.reduce((sum, one) => sum + one.lamports, 0n);
    if (hasAccount) return { instructions, lamports };
    const { base } = receivers;
    const first = make(payer, base, agent, mint, tokenProgram);
    const last = createCloseAccountInstruction(base, payer, agent, [], tokenProgram);
    return { instructions: [first, ...instructions, last], lamports };
  };
  return { ...take(claims), ...(claims.length > 1 && { richest: take([richest]) }) };
}

export function worthClaiming({ pool, positions }: LiquidityHolding): HeldPosition[] {
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

export function claimPosition(
  programs: MeteoraPrograms,
  { curve, holding, position }: { curve: Curve; holding: LiquidityHolding; position: HeldPosition },
  { agent, base, quote }: Receivers,
) {
  const { mint, tokenProgram } = curve.pool;
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

/** Whose fees a vault holds, by the mint beside it: the owner is the same for all pools. */
export function sourceOf(
  { curve, liquidity }: MeteoraPrograms,
  vault: string,
  {
    tokens,
    instructions,
  }: { tokens: readonly TokenRef[]; instructions: readonly TransactionInstruction[] },
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
