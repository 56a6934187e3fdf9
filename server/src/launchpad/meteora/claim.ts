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
import type { ClaimParts, FeeSource } from "../pool-program.ts";
import type { Curve } from "./curve-reader.ts";
import {
  claimablePositionFee,
  curveFees,
  type HeldPosition,
  type HeldToken,
  type LiquidityHolding,
} from "./liquidity-reader.ts";
import type { MeteoraPrograms } from "./programs.ts";

/**
 * Most positions that fit into one transaction. A token's agent has one position; a wallet with more
 * claims the richest first and the others with the next claim.
 */
const MAX_POSITIONS = 3;

/** Fees are in SOL alone, so a claim asks for none of the token. */
export const NO_TOKENS = new BN(0);

export interface Receivers {
  readonly agent: PublicKey;
  readonly base: PublicKey;
  readonly quote: PublicKey;
}

/** Who receives a claim's fees, and who pays the rents. */
export interface ClaimParties {
  readonly agent: PublicKey;
  /** Pays the rents instead of the agent. */
  readonly sponsor?: PublicKey | undefined;
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

/** @returns the address of an agent's account for wrapped SOL */
export function wrappedSolAccount(agent: PublicKey): PublicKey {
  return getAssociatedTokenAddressSync(NATIVE_MINT, agent, true);
}

/** @returns the addresses at which an agent may have an account for a token: one for each program */
export function tokenAccounts(agent: PublicKey, { tokenMint }: TokenRef): [PublicKey, PublicKey] {
  const mint = new PublicKey(tokenMint);
  return [
    getAssociatedTokenAddressSync(mint, agent, true, TOKEN_PROGRAM_ID),
    getAssociatedTokenAddressSync(mint, agent, true, TOKEN_2022_PROGRAM_ID),
  ];
}

// A sponsor gets its rent back only from an account that was not there before.
const makeAccount = ({ sponsor }: ClaimParties) =>
  sponsor
    ? createAssociatedTokenAccountInstruction
    : createAssociatedTokenAccountIdempotentInstruction;

/**
 * The instructions that enclose a claim of any tokens: make the agent's account for wrapped SOL, and
 * unwrap what came into it.
 */
export function enclosingInstructions(
  parties: ClaimParties,
  hasWrappedSol: boolean,
): Pick<ClaimParts, "first" | "last"> {
  const { agent, sponsor } = parties;
  const account = wrappedSolAccount(agent);
  const make = makeAccount(parties)(sponsor ?? agent, account, agent, NATIVE_MINT);
  return {
    first: sponsor && hasWrappedSol ? [] : [make],
    last: [createCloseAccountInstruction(account, agent, agent)],
  };
}

/**
 * The instructions by which the agent takes the fees of a curve and of its positions in the pool
 * after it, as wrapped SOL: make the agent's account for the token if it is missing, claim what has
 * fees, close the account that was made. Both programs require that account, although they pay no tokens
 * into it.
 *
 * @returns null if there is nothing to claim
 */
export async function claimInstructions(
  programs: MeteoraPrograms,
  parties: ClaimParties,
  { curve, holding, hasAccount }: ClaimedToken,
): Promise<TransactionInstruction[] | null> {
  const { agent, sponsor } = parties;
  const { mint, tokenProgram } = curve.pool;
  const base = getAssociatedTokenAddressSync(mint, agent, true, tokenProgram);
  const receivers: Receivers = { agent, base, quote: wrappedSolAccount(agent) };
  const claims: Promise<TransactionInstruction>[] = [];
  if (curveFees(curve, agent.toBase58()).claimable > 0n) {
    claims.push(claimCurve(programs, curve, receivers));
  }
  if (holding) {
    for (const position of worthClaiming(holding)) {
      claims.push(claimPosition(programs, { curve, holding, position }, receivers));
    }
  }
  if (claims.length === 0) return null;
  const instructions = await Promise.all(claims);
  if (hasAccount) return instructions;
  const payer = sponsor ?? agent;
  return [
    makeAccount(parties)(payer, base, agent, mint, tokenProgram),
    ...instructions,
    createCloseAccountInstruction(base, payer, agent, [], tokenProgram),
  ];
}

/** @returns the richest positions that have fees */
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

interface ClaimedPosition {
  readonly curve: Curve;
  readonly holding: LiquidityHolding;
  readonly position: HeldPosition;
}

export function claimPosition(
  programs: MeteoraPrograms,
  { curve, holding, position }: ClaimedPosition,
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

/**
 * Whose fees a vault holds: both programs' claims name the vault beside the mint. The vault's owner
 * does not say it, because each program has one authority for all pools.
 *
 * See `PoolProgram.sourceOf`.
 */
export function sourceOf(
  { curve, liquidity }: MeteoraPrograms,
  vault: string,
  claim: {
    readonly tokens: readonly TokenRef[];
    readonly instructions: readonly TransactionInstruction[];
  },
): FeeSource | null {
  for (const { programId, keys } of claim.instructions) {
    const isCurve = programId.equals(curve.programId);
    if (!isCurve && !programId.equals(liquidity.programId)) continue;
    const addresses = new Set(keys.map(({ pubkey }) => pubkey.toBase58()));
    if (!addresses.has(vault)) continue;
    const token = claim.tokens.find(({ tokenMint }) => addresses.has(tokenMint));
    if (!token) return null;
    return { tokenMint: token.tokenMint, kind: isCurve ? "bondingCurve" : "liquidityPool" };
  }
  return null;
}
