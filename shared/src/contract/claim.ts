import { Type } from "@sinclair/typebox";
import { limits } from "../limits.ts";
import { signedTransaction, transactionVersion } from "./request-text.ts";
import * as t from "./values.ts";

const receivers = t.optional(
  t.list(
    t.fields({
      address: t.address("A wallet, base58; each once", "must be the address of a wallet"),
      share: Type.Integer({
        minimum: 1,
        maximum: 100,
        description:
          "Its share in percent; all add up to 100, and the first gets the remainder of rounding",
        examples: [70],
        "x-rule": "must be a whole percentage from 1 to 100",
      }),
    }),
    "In step 1: who gets the claimed fees, instead of the agent's wallet. The transaction transfers what the claim pays when it is built; fees that arrive later stay in the wallet",
    {
      minItems: 1,
      maxItems: limits.claimReceivers.max,
      "x-rule": `must be 1 to ${limits.claimReceivers.max} receivers`,
    },
  ),
);

export const ClaimRequestSchema = t.fields({ receivers, transactionVersion, signedTransaction });

export const ClaimsRequestSchema = t.fields({
  tokenMints: t.optional(
    t.list(
      t.address("Mint address, base58", "must be a mint address"),
      "The mints of the tokens to claim, in both steps. The claim covers those that fit into one transaction; an empty list is refused with 400 `mint_required`",
      {
        minItems: 1,
        maxItems: limits.claimedTokens.max,
        uniqueItems: true,
        "x-rule": `must be 1 to ${limits.claimedTokens.max} different mint addresses`,
      },
    ),
  ),
  receivers,
  transactionVersion,
  signedTransaction,
});

export const ClaimRecordSchema = t.object(
  "The fees of one token, in SOL; for each kind `claimable + claimed = total`",
  {
    tokenMint: t.mint,
    poolAddress: t.pool,
    ticker: t.ticker,
    claimableSOL: t.sol("All claimable fees of both kinds, in SOL"),
    dbcClaimableFees: t.sol("Claimable fees of the bonding curve, in SOL"),
    dbcTotalFees: t.sol("All fees of the bonding curve so far, in SOL"),
    dbcClaimedFees: t.sol("Claimed fees of the bonding curve, in SOL"),
    lpClaimableFees: t.sol("Claimable fees of the liquidity pool, in SOL"),
    lpTotalFees: t.sol("All fees of the liquidity pool so far, in SOL"),
    lpClaimedFees: t.sol("Claimed fees of the liquidity pool, in SOL"),
    isMigrated: t.flag(
      "Whether the pool has migrated from the bonding curve to the liquidity pool; until then all `lp…` are 0",
    ),
    claimedElsewhere: t.optional(
      t.sol(
        "The part of the claimed fees that was claimed outside this service, in SOL. Absent if there is none (less than 0.0001 SOL may be rounding), or while a claim is in progress",
      ),
    ),
    creatorChanged: t.optional(
      t.object(
        "Present if the agent has transferred the role of the pool's creator, or the NFT of its position: the new owners of the fees, by kind. Of these fees the record counts only what this service's claims have paid",
        {
          dbcHolder: t.optional(
            t.address("The pool's current creator, who owns the fees of the bonding curve"),
          ),
          lpHolder: t.optional(
            t.nullable(
              t.address(),
              "The wallet that holds the position in the liquidity pool and owns its fees; null if not known",
            ),
          ),
        },
      ),
    ),
  },
);

export const UnreadableClaimSchema = t.object(
  "A token whose fees cannot be read, although the chain is available",
  { tokenMint: t.mint, ticker: t.ticker, error: t.text("Why, in words", { minLength: 1 }) },
);

export const ClaimListSchema = t.object("The fees of all of the agent's tokens", {
  claims: t.list(ClaimRecordSchema, "Newest token first"),
  unreadable: t.optional(
    t.list(
      UnreadableClaimSchema,
      "Tokens whose fees cannot be read, although the chain is available; they are not in `claims`",
      { minItems: 1 },
    ),
  ),
  nextCursor: t.nextCursor,
});

export const PaidReceiverSchema = t.object("What a claim pays one of its receivers", {
  address: t.address("The receiver"),
  paidSOL: t.sol("What it gets, in SOL"),
  paidLamports: t.lamports("The same in lamports, exact"),
});

const preparedClaim = {
  success: t.success,
  transaction: t.transaction,
  expiresInSeconds: t.expiresInSeconds,
  sponsored: t.optional(
    Type.Literal(true, {
      description:
        "Present if the wallet cannot pay for the claim, and the service pays in advance",
    }),
  ),
  repaymentSOL: t.optional(t.sol("With `sponsored`: SOL that the transaction repays the service")),
  receivers: t.optional(
    t.list(
      PaidReceiverSchema,
      "Whom the transaction pays, as the request named them; absent if the agent gets all.",
      { minItems: 1, maxItems: limits.claimReceivers.max },
    ),
  ),
};

const claimReceipt = {
  success: t.success,
  transactionHash: t.transactionHash,
  claimedSOL: t.sol(
    "SOL that the vaults paid to the wallet, before network fee, rent and repayment",
  ),
};

const tokenMints = t.list(
  t.address(),
  "The mints of the claimed tokens: those with fees that fit into the transaction",
  { minItems: 1, maxItems: limits.claimedTokens.max },
);

export const PreparedClaimSchema = t.object(
  "Claim, step 1: an unsigned transaction. The agent is its only signer and fee payer, unless the claim is sponsored: then the service is the fee payer and first signer, and the agent the second",
  preparedClaim,
);
export const ClaimReceiptSchema = t.object(
  "Claim, step 2: what the confirmed transaction did",
  claimReceipt,
);
export const PreparedClaimsSchema = t.object("Claim of several tokens, step 1", {
  ...preparedClaim,
  tokenMints,
});
export const ClaimsReceiptSchema = t.object("Claim of several tokens, step 2", {
  ...claimReceipt,
  tokenMints,
});

export const PaidClaimSchema = t.object("What a claim has paid of one token's fees", {
  tokenMint: t.mint,
  ticker: t.ticker,
  claimedSOL: t.sol("SOL that the token's vaults paid"),
  claimedLamports: t.lamports("The same in lamports, exact"),
  dbcClaimedLamports: t.lamports("The part from the bonding curve"),
  lpClaimedLamports: t.lamports("The part from the liquidity pool"),
  transactionHash: t.transactionHash,
  receivers: t.optional(
    t.list(
      PaidReceiverSchema,
      "Whom the transaction paid, for all of its tokens together; absent if the agent got all. The agent keeps the rest",
      { minItems: 1, maxItems: limits.claimReceivers.max },
    ),
  ),
  claimedAt: t.timestamp("When the server saw it confirmed; ISO-8601 in UTC"),
});

export const ClaimHistorySchema = t.object("What the agent's claims have paid", {
  claims: t.list(PaidClaimSchema, "Newest first, with an entry for each token of a claim"),
  nextCursor: t.nextCursor,
});
