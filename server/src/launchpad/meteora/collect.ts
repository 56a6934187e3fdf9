import type { Connection, PublicKey, TransactionInstruction } from "@solana/web3.js";
import { dbc } from "@tokenctl/shared/programs/dbc";
import type { BuiltInstruction } from "@tokenctl/shared/programs/program";
import { NO_LIMIT, receivers } from "@tokenctl/shared/programs/recipes";
import type { TokenRef } from "../../domain/token.ts";
import {
  enclosingInstructions,
  type PartnerProgram,
  type PartnerRevenue,
  type TokenCollection,
  type UnreadableFees,
} from "../pool-program.ts";
import {
  type ClaimedToken,
  claimFrom,
  hasAccountFor,
  tokenAccounts,
  tokenOf,
  withAccount,
  worthClaiming,
} from "./claim.ts";
import {
  claimablePositionFee,
  type HeldPosition,
  HoldingReader,
  type LiquidityHolding,
} from "./liquidity-reader.ts";
import { type AccountFault, builder, type Curve, CurveReader, toInstruction } from "./programs.ts";
import { revenueOf } from "./revenue.ts";

/** The partner's side in `withdraw_migration_fee`; 1 is the creator's. */
const PARTNER = 0;

/**
 * Returns the instructions that collect what the partner has earned from a token, as wrapped SOL:
 * the fees of the curve and of its richest position, then its shares of the surplus, of the
 * migration fee and, in lamports, of the creation fee.
 */
function collectInstructions(
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

function lamportsTaken(
  { curve, surplus, migrationFee, creationFee }: PartnerRevenue,
  holding: LiquidityHolding | null,
): bigint {
  const position = holding && richest(holding);
  const ofPosition = position ? claimablePositionFee(holding.pool, position) : 0n;
  const once = surplus.claimable + migrationFee.claimable + creationFee.claimable;
  return curve.claimable + ofPosition + once;
}

/**
 * Returns only the richest position. The partner has one in each pool, but anyone can give it more;
 * with all of them a collection might not fit into a transaction, so later ones take the others.
 */
function richest(holding: LiquidityHolding): HeldPosition | undefined {
  return worthClaiming(holding)[0];
}

/** Collects what a wallet earns at Meteora as the partner (`fee_claimer`) of DBC configs. */
export function meteoraPartner(connection: Connection, wallet: PublicKey): PartnerProgram {
  const curves = new CurveReader(connection);
  const holdings = new HoldingReader(connection);

  async function earningsOf(found: readonly (Curve | AccountFault)[]) {
    const held = await holdings.read(wallet, found);
    return held.map((one) =>
      one instanceof Error ? one : { ...one, revenue: revenueOf(one, wallet.toBase58()) },
    );
  }

  return {
    async readRevenue(tokens: readonly TokenRef[]) {
      const all = await earningsOf(await curves.read(tokens));
      return all.map((one): PartnerRevenue | UnreadableFees =>
        one instanceof Error ? { unreadable: one.message } : one.revenue,
      );
    },

    async collect(tokens: readonly TokenRef[]) {
      const accountsOf = tokens.flatMap((token) => tokenAccounts(wallet, token));
      const { found, accounts } = await curves.readBeside(tokens, accountsOf);
      const collections: TokenCollection[] = [];
      for (const [index, one] of (await earningsOf(found)).entries()) {
        const token = tokens[index];
        if (!token || one instanceof Error) continue;
        const { curve, holding, revenue } = one;
        const lamports = lamportsTaken(revenue, holding);
        if (lamports === 0n) continue;
        const collected = { ...one, hasAccount: hasAccountFor(curve, accounts, index) };
        const instructions = collectInstructions(wallet, collected);
        const { address, pool } = curve;
        const vaults = [pool.quoteVault, address, ...(holding ? [holding.pool.tokenBVault] : [])];
        collections.push({ token, instructions, lamports, vaults: vaults.map(String) });
      }
      if (collections.length === 0) return null;
      return { ...enclosingInstructions({ agent: wallet }, true), tokens: collections };
    },
  };
}
