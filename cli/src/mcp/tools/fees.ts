import { Type } from "@sinclair/typebox";
import type { ClaimCost, ClaimRecord, TokenctlClient } from "@tokenctl/sdk";
import { ClaimHistorySchema, ClaimListSchema } from "@tokenctl/shared/contract/claim";
import { WalletBalanceSchema } from "@tokenctl/shared/contract/service";
import { formatSol, lamportsToSol } from "@tokenctl/shared/sol";
import { toLamports } from "../../amount.ts";
import { TICKET_SECONDS } from "../claim-tickets.ts";
import { Refusal } from "../refusal.ts";
import { READS, tool, WRITES_ONCE } from "../tool.ts";
import { cursor, DEFAULT_LIMIT, limit, more, tokenMint } from "./fields.ts";

const TIME = "A date or a UTC time, for example 2026-01-31 or 2026-01-31T09:30Z";

const TIME_RULE = "must be a date or a UTC time, such as 2026-01-31T09:30Z";

const sol = Type.Number({ minimum: 0 });

export const feeTools = [
  tool({
    name: "get_wallet",
    title: "Read the wallet",
    description:
      "Reads the address of this wallet, the SOL that it holds to pay what claims cost, and the chain that holds it; network is null if the service does not name it.",
    toolset: "fees",
    hints: READS,
    input: {},
    output: Type.Object({
      ...WalletBalanceSchema.properties,
      network: Type.Union([Type.String(), Type.Null()]),
    }),
    async run({ client, network }, _input, { signal }) {
      const [balance, name] = await Promise.all([
        client.balance({ signal }),
        network.read(signal).catch(() => null),
      ]);
      const held = formatSol(toLamports(balance.balanceSOL));
      return {
        text: `${balance.wallet} holds ${held} SOL on ${name ?? "a chain without a name"}.`,
        data: { ...balance, network: name },
      };
    },
  }),
  tool({
    name: "get_fees",
    title: "Read fees",
    description:
      "Reads what this wallet's tokens have earned in SOL and what can be claimed now: bonding-curve fees (dbc…) and, after migration, liquidity-pool fees (lp…). With tokenMint, of that token only.",
    toolset: "fees",
    hints: READS,
    input: { tokenMint: Type.Optional(tokenMint) },
    output: Type.Object({ ...ClaimListSchema.properties, claimableSOL: sol }),
    async run({ client }, { tokenMint: mint }, { signal }) {
      const list = await client.claims({ signal });
      const isWanted = (item: { tokenMint: string }) =>
        mint === undefined || item.tokenMint === mint;
      const claims = list.claims.filter(isWanted);
      const unreadable = list.unreadable?.filter(isWanted) ?? [];
      if (mint !== undefined && claims.length + unreadable.length === 0) throw noSuchToken(mint);
      const claimable = claims.reduce((sum, claim) => sum + claimableOf(claim), 0n);
      return {
        text: `${formatSol(claimable)} SOL can be claimed, of ${claims.length} tokens.`,
        data: {
          claims,
          ...(unreadable.length > 0 && { unreadable }),
          claimableSOL: lamportsToSol(claimable),
        },
      };
    },
  }),
  tool({
    name: "get_history",
    title: "Read what claims have paid",
    description:
      "Lists the claims of this wallet that have paid, newest first, in pages: token, SOL and lamports by kind, transaction, time.",
    toolset: "fees",
    hints: READS,
    input: {
      tokenMint: Type.Optional(tokenMint),
      from: Type.Optional(Type.String({ description: `Since then. ${TIME}`, "x-rule": TIME_RULE })),
      to: Type.Optional(Type.String({ description: `Before then. ${TIME}`, "x-rule": TIME_RULE })),
      limit,
      cursor,
    },
    output: ClaimHistorySchema,
    async run(
      { client },
      { tokenMint: token, from, to, limit: most = DEFAULT_LIMIT, cursor: after },
      { signal },
    ) {
      const page = { limit: most, cursor: after, signal };
      const data = await client.claimHistoryPage({ token, from, to, ...page });
      const paid = data.claims.reduce((sum, claim) => sum + BigInt(claim.claimedLamports), 0n);
      return {
        text: `${data.claims.length} claims paid ${formatSol(paid)} SOL.${more(data)}`,
        data,
      };
    },
  }),
  tool({
    name: "preview_claim",
    title: "Preview a claim",
    description:
      "Shows what claiming a token's fees would pay to this wallet and cost at most, after the same check of the transaction as before a claim. It signs nothing. Returns a claimToken for claim_fees: good once, for five minutes, and for these fees only.",
    toolset: "fees",
    // It asks the service to build a transaction, so it is not offered with --read-only.
    hints: { ...READS, readOnlyHint: false },
    input: { tokenMint },
    output: Type.Object({
      tokenMint: Type.String(),
      ticker: Type.String(),
      claimableSOL: sol,
      networkFeeSOL: sol,
      rentSOL: sol,
      sponsored: Type.Boolean(),
      claimToken: Type.String(),
      expiresInSeconds: Type.Integer(),
    }),
    async run({ client, tickets }, { tokenMint: mint }, { signal }) {
      const { claims } = await client.claims({ signal });
      const record = claims.find((claim) => claim.tokenMint === mint);
      if (record === undefined) throw noSuchToken(mint);
      const cost = await costOf(client, mint, signal);
      const { networkFeeLamports, rentLamports, sponsor } = cost;
      const claimToken = tickets.issue({
        tokenMint: mint,
        ticker: record.ticker,
        claimableLamports: claimableOf(record),
        maxCostLamports: networkFeeLamports + rentLamports,
      });
      const claimable = claimableOf(record);
      return {
        text: `${formatSol(claimable)} SOL of ${record.ticker} can be claimed, at a cost of at most ${formatSol(networkFeeLamports + rentLamports)} SOL. Call claim_fees with the claimToken to claim them.`,
        data: {
          tokenMint: mint,
          ticker: record.ticker,
          claimableSOL: lamportsToSol(claimable),
          networkFeeSOL: lamportsToSol(networkFeeLamports),
          rentSOL: lamportsToSol(rentLamports),
          sponsored: sponsor !== undefined,
          claimToken,
          expiresInSeconds: TICKET_SECONDS,
        },
      };
    },
  }),
  tool({
    name: "claim_fees",
    title: "Claim fees",
    description:
      "Claims a token's fees to this wallet, as preview_claim showed them. It needs that preview's claimToken, which makes one claim: a repeat returns the receipt of the first.",
    toolset: "fees",
    hints: WRITES_ONCE,
    input: {
      tokenMint,
      claimToken: Type.String({
        pattern: "^[0-9a-f]{32}$",
        description: "The claimToken of preview_claim for the same tokenMint",
        "x-rule": "must be the claimToken of preview_claim, 32 hex digits",
      }),
    },
    output: Type.Object({
      tokenMint: Type.String(),
      transactionHash: Type.String(),
      claimedSOL: sol,
      verified: Type.Optional(Type.Literal(true)),
      gainedSOL: Type.Optional(Type.Number()),
    }),
    async run({ client, tickets, budget }, { tokenMint: mint, claimToken }, { signal, confirm }) {
      const { ticker, claimableLamports, maxCostLamports } = tickets.check(claimToken, mint);
      if (!tickets.isUsed(claimToken)) {
        const asked = confirm(
          `Claim ${formatSol(claimableLamports)} SOL of fees of ${ticker} (${mint}) to the wallet ${client.address}, at a cost of at most ${formatSol(maxCostLamports)} SOL?`,
        );
        if (asked !== null) return asked;
      }
      const { success, ...receipt } = await tickets.use(claimToken, mint, () =>
        client.claim(mint, {
          signal,
          approve: (cost) => {
            throwIfHigher(cost, maxCostLamports);
            budget.spend(cost);
          },
        }),
      );
      return {
        text: `Claimed ${formatSol(toLamports(receipt.claimedSOL))} SOL.`,
        data: { tokenMint: mint, ...receipt },
      };
    },
  }),
];

/** Thrown to the SDK so that it signs nothing. */
class OnlyPreviewed extends Error {}

/** Has the SDK check a claim and price it, as before a signature. */
async function costOf(
  client: TokenctlClient,
  mint: string,
  signal: AbortSignal,
): Promise<ClaimCost> {
  const prepared = await client.prepareClaim(mint, { signal });
  let cost: ClaimCost | undefined;
  try {
    await client.signClaim(mint, prepared, {
      signal,
      approve: (price) => {
        cost = price;
        throw new OnlyPreviewed();
      },
    });
  } catch (error) {
    if (cost === undefined || !(error instanceof OnlyPreviewed)) throw error;
  }
  if (cost === undefined) throw new Error("The SDK signed a claim without a price");
  return cost;
}

function throwIfHigher({ networkFeeLamports, rentLamports }: ClaimCost, most: bigint): void {
  if (networkFeeLamports + rentLamports <= most) return;
  throw new Refusal(
    "claim_cost_changed",
    `Not signed: the claim would now cost ${formatSol(networkFeeLamports + rentLamports)} SOL, and the preview said at most ${formatSol(most)} SOL`,
    "Call preview_claim again.",
  );
}

function claimableOf({ claimableSOL }: ClaimRecord): bigint {
  return toLamports(claimableSOL);
}

function noSuchToken(mint: string): Refusal {
  return new Refusal(
    "token_not_found",
    `This wallet has no token ${mint} whose fees can be read`,
    "list_tokens lists the mints of this wallet's tokens.",
  );
}
