import { Type } from "@sinclair/typebox";
import type { ClaimCost, ClaimRecord, PrepareClaimOptions, TokenctlClient } from "@tokenctl/sdk";
import {
  ClaimHistorySchema,
  ClaimListSchema,
  PaidClaimSchema,
} from "@tokenctl/shared/contract/claim";
import { WalletBalanceSchema } from "@tokenctl/shared/contract/service";
import { formatSol, lamportsToSol, solToLamports } from "@tokenctl/shared/sol";
import { namesOf, payoutLines } from "../../receivers.ts";
import { type Previewed, TICKET_SECONDS } from "../claim-tickets.ts";
import { Refusal } from "../refusal.ts";
import { toolsOf, WRITES, WRITES_ONCE } from "../tool.ts";
import { cursor, DEFAULT_LIMIT, limit, more, tokenMint } from "./fields.ts";

const TIME = "A date or a UTC time, for example 2026-01-31 or 2026-01-31T09:30Z";

const TIME_RULE = "must be a date or a UTC time, such as 2026-01-31T09:30Z";

const sol = Type.Number({ minimum: 0 });

/** What each receiver gets; absent if the wallet gets all. */
const payouts = Type.Optional(Type.Array(Type.String()));

/** Models read the schemas of all tools: this one leaves out what says itself. */
const { receivers: _, ...paidClaim } = PaidClaimSchema.properties;
const history = { ...ClaimHistorySchema.properties, claims: Type.Array(Type.Object(paidClaim)) };

const tool = toolsOf("fees");

export const feeTools = [
  tool({
    name: "get_wallet",
    title: "Read the wallet",
    description:
      "Reads this wallet's address, its SOL, which pays for claims, and its chain; network is null if the service does not name it.",
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
      const held = formatSol(solToLamports(balance.balanceSOL));
      return {
        text: `${balance.wallet} holds ${held} SOL on ${name ?? "an unnamed chain"}.`,
        data: { ...balance, network: name },
      };
    },
  }),
  tool({
    name: "get_fees",
    title: "Read fees",
    description:
      "Reads what this wallet's tokens have earned in SOL and what can be claimed now: bonding-curve fees (dbc…) and, after migration, liquidity-pool fees (lp…). With tokenMint, of that token only.",
    input: { tokenMint: Type.Optional(tokenMint) },
    output: Type.Object({ ...ClaimListSchema.properties, claimableSOL: sol }),
    async run({ client }, { tokenMint: mint }, { signal }) {
      const list = await client.claims({ received: true, signal });
      const isWanted = (item: { tokenMint: string }) =>
        mint === undefined || item.tokenMint === mint;
      const claims = list.claims.filter(isWanted);
      const unreadable = list.unreadable?.filter(isWanted) ?? [];
      if (mint !== undefined && claims.length + unreadable.length === 0) throw noSuchToken(mint);
      const claimable = claims.reduce((sum, claim) => sum + claimableOf(claim), 0n);
      return {
        text: `${formatSol(claimable)} SOL of ${claims.length} tokens can be claimed.`,
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
    title: "Read paid claims",
    description:
      "Lists this wallet's paid claims, newest first, in pages: token, SOL, lamports by kind, transaction and time.",
    input: {
      tokenMint: Type.Optional(tokenMint),
      from: Type.Optional(
        Type.String({ description: `Claims at this time or later. ${TIME}`, "x-rule": TIME_RULE }),
      ),
      to: Type.Optional(
        Type.String({ description: `Claims before this time. ${TIME}`, "x-rule": TIME_RULE }),
      ),
      limit,
      cursor,
    },
    output: Type.Object(history),
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
      "Shows what claiming a token's fees would pay, to whom, and cost at most, after checking the transaction as for a claim. It signs nothing. Returns a claimToken for claim_fees: valid once, for five minutes and only for these fees.",
    // The service builds a transaction, so this is not offered with --read-only.
    hints: WRITES,
    input: { tokenMint },
    output: Type.Object({
      tokenMint: Type.String(),
      ticker: Type.String(),
      claimableSOL: sol,
      networkFeeSOL: sol,
      rentSOL: sol,
      sponsored: Type.Boolean(),
      payouts,
      claimToken: Type.String(),
      expiresInSeconds: Type.Integer(),
    }),
    async run({ client, tickets, payout }, { tokenMint: mint }, { signal }) {
      const { claims } = await client.claims({ received: true, signal });
      const record = claims.find((claim) => claim.tokenMint === mint);
      if (record === undefined) throw noSuchToken(mint);
      const cost = await costOf(client, mint, { to: payout, signal });
      const { networkFeeLamports, rentLamports, sponsor, receivers: paid } = cost;
      const maxCostLamports = networkFeeLamports + rentLamports;
      const claimableLamports = claimableOf(record);
      const token = { tokenMint: mint, ticker: record.ticker };
      const claimToken = tickets.issue({
        ...{ ...token, claimableLamports, maxCostLamports },
        paidLamports: paidBy(cost),
      });
      return {
        text: `${formatSol(claimableLamports)} SOL of ${record.ticker} can be claimed, at a cost of at most ${formatSol(maxCostLamports)} SOL. Call claim_fees with the claimToken to claim them.`,
        data: {
          ...token,
          claimableSOL: record.claimableSOL,
          networkFeeSOL: lamportsToSol(networkFeeLamports),
          rentSOL: lamportsToSol(rentLamports),
          sponsored: sponsor !== undefined,
          ...(paid && { payouts: payoutLines(paid) }),
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
      "Claims a token's fees, to this wallet unless its owner set others, as preview_claim showed them. It needs the claimToken of that preview, which makes one claim: a repeat returns the first receipt.",
    hints: WRITES_ONCE,
    input: {
      tokenMint,
      claimToken: Type.String({
        pattern: "^[0-9a-f]{32}$",
        description: "The claimToken of preview_claim for this tokenMint",
        "x-rule": "must be the claimToken of preview_claim, 32 hex digits",
      }),
    },
    output: Type.Object({
      tokenMint: Type.String(),
      transactionHash: Type.String(),
      claimedSOL: sol,
      verified: Type.Optional(Type.Literal(true)),
      gainedSOL: Type.Optional(Type.Number()),
      payouts,
    }),
    async run(
      { client, tickets, budget, payout: to },
      { tokenMint: mint, claimToken },
      { signal, confirm },
    ) {
      const previewed = tickets.check(claimToken, mint);
      const { ticker, claimableLamports, maxCostLamports } = previewed;
      if (!tickets.isUsed(claimToken)) {
        const asked = confirm(
          `Claim ${formatSol(claimableLamports)} SOL of fees of ${ticker} (${mint}) to ${to ? namesOf(to) : `the wallet ${client.address}`}, at a cost of at most ${formatSol(maxCostLamports)} SOL?`,
        );
        if (asked !== null) return asked;
      }
      const {
        success,
        receivers: paid,
        ...receipt
      } = await tickets.use(claimToken, mint, () =>
        client.claim(mint, {
          signal,
          to,
          approve: (cost) => {
            throwIfWorse(cost, previewed);
            budget.spend(cost);
          },
        }),
      );
      return {
        text: `Claimed ${formatSol(solToLamports(receipt.claimedSOL))} SOL.`,
        data: { tokenMint: mint, ...receipt, ...(paid && { payouts: payoutLines(paid) }) },
      };
    },
  }),
];

/** Makes the SDK sign nothing. */
class OnlyPreviewed extends Error {}

/** Makes the SDK check and price a claim, as before a signature. */
async function costOf(client: TokenctlClient, mint: string, asked: PrepareClaimOptions) {
  const prepared = await client.prepareClaim(mint, asked);
  let cost: ClaimCost | undefined;
  try {
    await client.signClaim(mint, prepared, {
      ...asked,
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

function throwIfWorse(cost: ClaimCost, { maxCostLamports, paidLamports }: Previewed): void {
  const { networkFeeLamports, rentLamports } = cost;
  const [costs, pays] = [networkFeeLamports + rentLamports, paidBy(cost)];
  const change =
    costs > maxCostLamports
      ? `cost ${formatSol(costs)} SOL, more than the ${formatSol(maxCostLamports)} SOL`
      : pays < paidLamports &&
        `pay ${formatSol(pays)} SOL, less than the ${formatSol(paidLamports)} SOL`;
  if (change === false) return;
  const message = `Not signed: the claim would now ${change} of the preview`;
  throw new Refusal("claim_cost_changed", message, "Call preview_claim again.");
}

/** What the receivers of a claim get together. */
function paidBy({ receivers = [] }: ClaimCost): bigint {
  return receivers.reduce((sum, { lamports }) => sum + lamports, 0n);
}

function claimableOf({ claimableSOL }: ClaimRecord): bigint {
  return solToLamports(claimableSOL);
}

function noSuchToken(mint: string): Refusal {
  const message = `This wallet has no token ${mint} whose fees can be read`;
  const hint = "list_tokens lists the mints of this wallet's tokens.";
  return new Refusal("token_not_found", message, hint);
}
