import { type Connection, PublicKey } from "@solana/web3.js";
import { PROTOCOL_FEE_PERCENT } from "@tokenctl/shared/programs/curve-terms";
import { dbc } from "@tokenctl/shared/programs/dbc";
import type { BuiltInstruction } from "@tokenctl/shared/programs/program";
import { NO_LIMIT, receivers } from "@tokenctl/shared/programs/recipes";
import {
  enclosingInstructions,
  type FeeTotals,
  NO_FEES,
  type PartnerProgram,
  type PartnerRevenue,
  type TokenCollection,
  type UnreadableFees,
} from "../pool-program.ts";
import {
  type ClaimedToken,
  claimFrom,
  hasAccountFor,
  richestPosition,
  tokenAccounts,
  tokenOf,
  withAccount,
} from "./claim.ts";
import {
  claimablePositionFee,
  type HeldToken,
  HoldingReader,
  liquidityFees,
} from "./liquidity-reader.ts";
import { partnerCreationLamports, readEarnings } from "./pool-terms.ts";
import { builder, type Curve, CurveReader, toInstruction } from "./programs.ts";

/** Returns the only wallet that can take the partner's share under a config. */
export async function partnerOf(connection: Connection, config: string): Promise<PublicKey> {
  return new PublicKey((await readEarnings(connection, new PublicKey(config))).partner);
}

/** Reads and collects what a wallet earns as the partner (`fee_claimer`) of DBC configs. */
export function meteoraPartner(connection: Connection, wallet: PublicKey): PartnerProgram {
  const reader = new HoldingReader(connection, new CurveReader(connection));
  return {
    async readRevenue(tokens) {
      const { held } = await reader.read(wallet, tokens);
      return held.map((one): PartnerRevenue | UnreadableFees =>
        one instanceof Error ? { unreadable: one.message } : revenueOf(one, wallet.toBase58()),
      );
    },

    async collect(tokens) {
      const others = tokens.flatMap((token) => tokenAccounts(wallet, token));
      const { held, accounts } = await reader.read(wallet, tokens, others);
      const collections: TokenCollection[] = [];
      for (const [index, one] of held.entries()) {
        const token = tokens[index];
        if (!token || one instanceof Error) continue;
        const { curve, holding } = one;
        const hasAccount = hasAccountFor(curve, accounts, index);
        const taking = collectInstructions(wallet, { ...one, hasAccount });
        if (taking.lamports === 0n) continue;
        const { address, pool } = curve;
        const vaults = [pool.quoteVault, address, ...(holding ? [holding.pool.tokenBVault] : [])];
        collections.push({ token, ...taking, vaults: vaults.map(String) });
      }
      if (collections.length === 0) return null;
      return { ...enclosingInstructions(wallet, true), tokens: collections };
    },
  };
}

/** A bit of `creation_fee_bits`, as the program sets it. */
const PARTNER_TOOK_CREATION_FEE = 0b10;

function revenueOf({ curve, holding }: HeldToken, wallet: string): PartnerRevenue {
  const isPartner = curve.config.feeClaimer === wallet;
  const ofPartner = (fees: (curve: Curve) => FeeTotals) => (isPartner ? fees(curve) : NO_FEES);
  return {
    curve: ofPartner(partnerFees),
    position: holding ? liquidityFees(holding.pool, holding.positions) : NO_FEES,
    surplus: ofPartner(partnerSurplus),
    creationFee: ofPartner(partnerCreationFee),
  };
}

/** Counts like `getPoolFeeBreakdown` of the DBC SDK for the partner. */
function partnerFees({ pool, config }: Curve): FeeTotals {
  const { creatorTradingFeePercentage } = config;
  const total = partnerShare(pool.metrics.totalTradingQuoteFee, creatorTradingFeePercentage);
  return { claimable: pool.partnerQuoteFee, claimed: total - pool.partnerQuoteFee, total };
}

/**
 * Returns the partner's share of what the last trade paid beyond the curve's end. Meteora keeps the
 * same share as of every fee. Source: `get_partner_surplus` of the DBC program.
 */
function partnerSurplus({ pool, config }: Curve): FeeTotals {
  const beyond = pool.quoteReserve - config.migrationQuoteThreshold;
  if (beyond <= 0n) return NO_FEES;
  const left = (beyond * BigInt(100 - PROTOCOL_FEE_PERCENT)) / 100n;
  return once(
    partnerShare(left, config.creatorTradingFeePercentage),
    pool.isPartnerWithdrawSurplus === 0,
  );
}

/** The pool holds the creation fee besides its rent. */
function partnerCreationFee({ pool, config }: Curve): FeeTotals {
  const isThere = (pool.creationFeeBits & PARTNER_TOOK_CREATION_FEE) === 0;
  return once(partnerCreationLamports(config.poolCreationFee), isThere);
}

/** Rounds the creator's part down; the partner gets the rest. */
function partnerShare(lamports: bigint, creatorPercentage: number): bigint {
  return lamports - (lamports * BigInt(creatorPercentage)) / 100n;
}

function once(total: bigint, isThere: boolean): FeeTotals {
  return isThere
    ? { claimable: total, claimed: 0n, total }
    : { claimable: 0n, claimed: total, total };
}

/**
 * Returns the instructions that collect what the partner has earned from a token, as wrapped SOL:
 * the fees of the curve and of its richest position, then its shares of the surplus and, in
 * lamports, of the creation fee. None if that is 0 lamports.
 */
function collectInstructions(wallet: PublicKey, { hasAccount, ...held }: ClaimedToken) {
  const { curve, holding } = held;
  const partner = wallet.toBase58();
  const revenue = revenueOf(held, partner);
  const { pool, mint, tokenProgram } = tokenOf(curve);
  const { config } = curve.pool;
  const paid = receivers(builder, { mint, tokenProgram, agent: partner });
  const fees: BuiltInstruction[] = [];
  const once: BuiltInstruction[] = [];
  if (revenue.curve.claimable > 0n) {
    const from = { config, pool, baseMint: mint, tokenBaseProgram: tokenProgram };
    const given = { ...from, ...paid, feeClaimer: partner };
    const limits = { maxAmountA: 0n, maxAmountB: NO_LIMIT };
    fees.push(builder.build(dbc, "claim_trading_fee", given, limits));
  }
  const position = holding && richestPosition(holding);
  const ofPosition = position ? claimablePositionFee(holding.pool, position) : 0n;
  if (position) fees.push(claimFrom(curve, position, partner));
  if (revenue.surplus.claimable > 0n) {
    const withdrawn = { config, virtualPool: pool, tokenQuoteAccount: paid.tokenBAccount };
    const given = { ...withdrawn, feeClaimer: partner };
    once.push(builder.build(dbc, "partner_withdraw_surplus", given, {}));
  }
  if (revenue.creationFee.claimable > 0n) {
    const given = { config, pool, feeClaimer: partner, feeReceiver: partner };
    once.push(builder.build(dbc, "claim_partner_pool_creation_fee", given, {}));
  }
  const isWhole = fees.length === 0 || hasAccount;
  const enclosed = isWhole ? fees : withAccount(fees, curve, { owner: partner });
  const { curve: ofCurve, surplus, creationFee } = revenue;
  return {
    instructions: [...enclosed, ...once].map(toInstruction),
    lamports: ofCurve.claimable + ofPosition + surplus.claimable + creationFee.claimable,
  };
}
