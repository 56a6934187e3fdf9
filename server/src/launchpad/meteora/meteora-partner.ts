import type { Connection, PublicKey } from "@solana/web3.js";
import type { TokenRef } from "../../domain/token.ts";
import type { UnreadableFees } from "../launchpad.ts";
import type { PartnerProgram, PartnerRevenue, TokenCollection } from "../partner-program.ts";
import { enclosingInstructions } from "../wrapped-sol.ts";
import type { AccountFault } from "./accounts.ts";
import { hasAccountFor, tokenAccounts } from "./claim.ts";
import { collectInstructions, lamportsTaken } from "./collect.ts";
import { type Curve, CurveReader } from "./curve-reader.ts";
import { HoldingReader } from "./liquidity-reader.ts";
import { revenueOf } from "./revenue.ts";

/** What a wallet earns under Meteora's programs as the partner (`fee_claimer`) of DBC configs. */
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
