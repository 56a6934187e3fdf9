import type { PartnerProgram, PartnerRevenue } from "../../launchpad/partner-program.ts";
import type { Store } from "../../store/store.ts";
import type { TokenWithLaunch } from "../../store/tokens.ts";

/** Tokens that are read at a time: five calls of the RPC, side by side. */
const TOKENS_AT_ONCE = 500;

/** A token with what it cost and what the operator earns from it, or why that cannot be read. */
export interface EarningToken
  extends Pick<
    TokenWithLaunch,
    | "id"
    | "tokenMint"
    | "poolAddress"
    | "ticker"
    | "wallet"
    | "launchLamports"
    | "migrationLamports"
  > {
  readonly revenue: PartnerRevenue | { readonly unreadable: string };
}

export async function* readTokens(
  { tokens }: Pick<Store, "tokens">,
  partner: PartnerProgram,
): AsyncGenerator<EarningToken> {
  for (let after = 0; ; ) {
    const portion = await tokens.after(after, TOKENS_AT_ONCE);
    const revenues = await partner.readRevenue(portion);
    for (const [index, token] of portion.entries()) {
      const { id, tokenMint, poolAddress, ticker, wallet } = token;
      const { launchLamports, migrationLamports } = token;
      const revenue = revenues[index] ?? { unreadable: "It was not read" };
      const paid = { launchLamports, migrationLamports };
      yield { id, tokenMint, poolAddress, ticker, wallet, ...paid, revenue };
    }
    const last = portion.at(-1);
    if (!last || portion.length < TOKENS_AT_ONCE) return;
    after = last.id;
  }
}
