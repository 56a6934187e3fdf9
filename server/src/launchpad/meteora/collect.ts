import type { PublicKey, TransactionInstruction } from "@solana/web3.js";
import { dbc } from "@tokenctl/shared/programs/dbc";
import type { BuiltInstruction } from "@tokenctl/shared/programs/program";
import { NO_LIMIT, receivers } from "@tokenctl/shared/programs/recipes";
import type { PartnerRevenue } from "../partner-program.ts";
import { type ClaimedToken, claimFrom, tokenOf, withAccount, worthClaiming } from "./claim.ts";
import {
  claimablePositionFee,
  type HeldPosition,
  type LiquidityHolding,
} from "./liquidity-reader.ts";
import { builder, toInstruction } from "./programs.ts";

/** The partner's side of `withdraw_migration_fee`; 1 is the creator's. */
const PARTNER = 0;

/**
 * The instructions by which the partner takes what it has earned from a token, as wrapped SOL: its fees
 * of the curve and of its richest position, then its shares of the surplus, of the migration fee and, in
 * lamports, of the creation fee.
 */
export function collectInstructions(
  wallet: PublicKey,
  { curve, holding, hasAccount, revenue }: ClaimedToken & { readonly revenue: PartnerRevenue },
): TransactionInstruction[] {
  const partner = wallet.toBase58();
  const { pool, mint, tokenProgram } = tokenOf(curve);
  const { config } = curve.pool;
  const paid = receivers(builder, { mint, tokenProgram, agent: partner });
  const withdrawn = { config, virtualPool: pool, tokenQuoteAccount: paid.tokenBAccount };
  const fees: BuiltInstruction[] = [];
  const once: BuiltInstruction[] = [];
  if (revenue.curve.claimable > 0n) {
    const from = { config, pool, baseMint: mint, tokenBaseProgram: tokenProgram };
    const given = { ...from, ...paid, feeClaimer: partner };
    const limits = { maxAmountA: 0n, maxAmountB: NO_LIMIT };
    fees.push(builder.build(dbc, "claim_trading_fee", given, limits));
  }
  const position = holding && richest(holding);
  if (position) fees.push(claimFrom(curve, position, partner));
  if (revenue.surplus.claimable > 0n) {
    const given = { ...withdrawn, feeClaimer: partner };
    once.push(builder.build(dbc, "partner_withdraw_surplus", given, {}));
  }
  if (revenue.migrationFee.claimable > 0n) {
    const given = { ...withdrawn, sender: partner };
    once.push(builder.build(dbc, "withdraw_migration_fee", given, { flag: PARTNER }));
  }
  if (revenue.creationFee.claimable > 0n) {
    const given = { config, pool, feeClaimer: partner, feeReceiver: partner };
    once.push(builder.build(dbc, "claim_partner_pool_creation_fee", given, {}));
  }
  const isWhole = fees.length === 0 || hasAccount;
  const enclosed = isWhole ? fees : withAccount(fees, curve, { owner: partner });
  return [...enclosed, ...once].map(toInstruction);
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
