import {
  deriveDbcEventAuthority,
  deriveDbcPoolAuthority,
  U64_MAX,
} from "@meteora-ag/dynamic-bonding-curve-sdk";
import {
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  NATIVE_MINT,
  TOKEN_PROGRAM_ID,
} from "@solana/spl-token";
import type { PublicKey, TransactionInstruction } from "@solana/web3.js";
import type { PartnerRevenue } from "../partner-program.ts";
import {
  type ClaimedToken,
  claimPosition,
  NO_TOKENS,
  type Receivers,
  receiversOf,
  worthClaiming,
} from "./claim.ts";
import type { Curve } from "./curve-reader.ts";
import {
  claimablePositionFee,
  type HeldPosition,
  type LiquidityHolding,
} from "./liquidity-reader.ts";
import type { MeteoraPrograms } from "./programs.ts";

/** The partner's side of `withdraw_migration_fee`; 1 is the creator's. */
const PARTNER = 0;

/**
 * The instructions by which the partner takes what it has earned from a token, as wrapped SOL: its fees
 * of the curve and of its richest position, for which both programs require the partner's account for the token,
 * then its shares of the surplus, of the migration fee and, in lamports, of the creation fee.
 */
export async function collectInstructions(
  programs: MeteoraPrograms,
  partner: PublicKey,
  { curve, holding, hasAccount, revenue }: ClaimedToken & { readonly revenue: PartnerRevenue },
): Promise<TransactionInstruction[]> {
  const { mint, tokenProgram } = curve.pool;
  const receivers = receiversOf(partner, curve.pool);
  const { base } = receivers;
  const ofFees: Promise<TransactionInstruction>[] = [];
  if (revenue.curve.claimable > 0n) ofFees.push(claimFees(programs, curve, receivers));
  const position = holding && richest(holding);
  if (position) ofFees.push(claimPosition(programs, { curve, holding, position }, receivers));
  const others: Promise<TransactionInstruction>[] = [];
  if (revenue.surplus.claimable > 0n) others.push(withdrawSurplus(programs, curve, receivers));
  if (revenue.migrationFee.claimable > 0n) {
    others.push(withdrawMigrationFee(programs, curve, receivers));
  }
  if (revenue.creationFee.claimable > 0n) others.push(claimCreationFee(programs, curve, receivers));
  const [fees, rest] = await Promise.all([Promise.all(ofFees), Promise.all(others)]);
  if (fees.length === 0 || hasAccount) return [...fees, ...rest];
  return [
    createAssociatedTokenAccountIdempotentInstruction(partner, base, partner, mint, tokenProgram),
    ...fees,
    createCloseAccountInstruction(base, partner, partner, [], tokenProgram),
    ...rest,
  ];
}

export function lamportsTaken(
  { curve, surplus, migrationFee, creationFee }: PartnerRevenue,
  holding: LiquidityHolding | null,
): bigint {
  const position = holding && richest(holding);
  const ofPosition = position ? claimablePositionFee(holding.pool, position) : 0n;
  const once = surplus.claimable + migrationFee.claimable + creationFee.claimable;
  return curve.claimable + ofPosition + once;
}

/**
 * The partner has one position in each pool. Anyone can give it more, so the others are left for later
 * collections: with them a collection might not fit into a transaction.
 */
function richest(holding: LiquidityHolding): HeldPosition | undefined {
  return worthClaiming(holding)[0];
}

function claimFees(programs: MeteoraPrograms, { address, pool }: Curve, receivers: Receivers) {
  return programs.curve.methods
    .claimTradingFee(NO_TOKENS, U64_MAX)
    .accountsStrict({
      poolAuthority: deriveDbcPoolAuthority(),
      config: pool.config,
      pool: address,
      tokenAAccount: receivers.base,
      tokenBAccount: receivers.quote,
      baseVault: pool.baseVault,
      quoteVault: pool.quoteVault,
      baseMint: pool.mint,
      quoteMint: NATIVE_MINT,
      feeClaimer: receivers.agent,
      tokenBaseProgram: pool.tokenProgram,
      tokenQuoteProgram: TOKEN_PROGRAM_ID,
      eventAuthority: deriveDbcEventAuthority(),
      program: programs.curve.programId,
    })
    .instruction();
}

function claimCreationFee(
  programs: MeteoraPrograms,
  { address, pool }: Curve,
  { agent: partner }: Receivers,
) {
  return programs.curve.methods
    .claimPartnerPoolCreationFee()
    .accountsStrict({
      config: pool.config,
      pool: address,
      feeClaimer: partner,
      feeReceiver: partner,
      eventAuthority: deriveDbcEventAuthority(),
      program: programs.curve.programId,
    })
    .instruction();
}

function withdrawSurplus(programs: MeteoraPrograms, curve: Curve, receivers: Receivers) {
  return programs.curve.methods
    .partnerWithdrawSurplus()
    .accountsStrict({ ...withdrawal(programs, curve, receivers), feeClaimer: receivers.agent })
    .instruction();
}

function withdrawMigrationFee(programs: MeteoraPrograms, curve: Curve, receivers: Receivers) {
  return programs.curve.methods
    .withdrawMigrationFee(PARTNER)
    .accountsStrict({ ...withdrawal(programs, curve, receivers), sender: receivers.agent })
    .instruction();
}

function withdrawal(programs: MeteoraPrograms, { address, pool }: Curve, { quote }: Receivers) {
  return {
    poolAuthority: deriveDbcPoolAuthority(),
    config: pool.config,
    virtualPool: address,
    tokenQuoteAccount: quote,
    quoteVault: pool.quoteVault,
    quoteMint: NATIVE_MINT,
    tokenQuoteProgram: TOKEN_PROGRAM_ID,
    eventAuthority: deriveDbcEventAuthority(),
    program: programs.curve.programId,
  };
}
