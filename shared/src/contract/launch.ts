import { Type } from "@sinclair/typebox";
import { limits } from "../limits.ts";
import { NAME_BYTES } from "../token-name.ts";
import { LAUNCH_PAYERS } from "../words.ts";
import {
  link,
  optionalText,
  requestText,
  signedTransaction,
  transactionVersion,
} from "./request-text.ts";
import * as t from "./values.ts";

export const LaunchRequestSchema = t.object("A token to launch", {
  name: requestText({
    kind: "TokenName",
    minLength: limits.name.min,
    maxLength: limits.name.max,
    description:
      "Human-readable token name. Its first 32 bytes of UTF-8 go on chain, unless `onChainName` replaces them. It has no spaces at its ends, and no control, bidirectional, invisible or replacement (U+FFFD) characters; an accent follows a letter",
    examples: ["An agent's token"],
    "x-rule":
      "must be a text of 1 to 255 characters, without spaces at its ends, accents without a letter, and control, bidirectional, invisible or replacement (U+FFFD) characters",
  }),
  ticker: requestText({
    minLength: limits.ticker.min,
    maxLength: limits.ticker.max,
    pattern: limits.ticker.pattern,
    description: "Unique across all launches",
    examples: ["AGENT"],
    "x-rule": "must be 2 to 10 characters of A-Z and 0-9",
  }),
  description: optionalText({
    maxLength: limits.description.max,
    pattern: "^[^\\ufffd]*$",
    description: "What the token is about",
    examples: ["Launched by an agent, for agents"],
    "x-rule": "must be a text of at most 1000 characters, none of them U+0000 or U+FFFD",
  }),
  imageUrl: optionalText({
    kind: "Link",
    "x-schemes": limits.imageUrl.schemes,
    maxLength: limits.imageUrl.max,
    format: "uri",
    description: "The token's image; the service never fetches it",
    examples: ["https://example.com/token.png"],
    "x-rule": "must be an http, https, ipfs or ar URL of at most 255 characters",
  }),
  website: link({
    description: "The token's website",
    examples: ["https://example.com"],
    "x-rule":
      "must be an http or https URL of at most 255 characters, without a user name, and without letters of two scripts in a part of its host",
  }),
  twitter: link({
    "x-hosts": limits.link.twitterHosts,
    description: "The token's page on X",
    examples: ["https://x.com/example"],
    "x-rule": "must be an https URL of x.com or twitter.com with a path, of at most 255 characters",
  }),
  telegram: link({
    "x-hosts": limits.link.telegramHosts,
    description: "The token's Telegram chat",
    examples: ["https://t.me/example"],
    "x-rule": "must be an https URL of t.me or telegram.me with a path, of at most 255 characters",
  }),
  onChainName: optionalText({
    kind: "OnChainName",
    minLength: 1,
    maxLength: NAME_BYTES,
    description: "The name on chain, instead of the beginning of `name`: at most 32 bytes of UTF-8",
    examples: ["An agent's token"],
    "x-rule":
      "must be a text of 1 to 32 bytes of UTF-8, without spaces at its ends, accents without a letter, and control, bidirectional, invisible or replacement (U+FFFD) characters",
  }),
  payer: t.optional(
    t.choice(
      LAUNCH_PAYERS,
      "Who pays: the service (default), or the agent, which then signs the launch; only those of the health's `launchPayers`",
      { examples: ["agent"], "x-rule": 'must be "operator" or "agent"' },
    ),
  ),
  firstBuySOL: t.optional(
    t.positiveSol(
      "With `payer: agent`: SOL for a buy in the transaction that creates the token",
      limits.firstBuySOL.max,
    ),
  ),
  firstBuyMinTokens: optionalText({
    maxLength: 17,
    pattern: "^\\d{1,10}(\\.\\d{1,6})?$",
    description: "With `firstBuySOL`: the least whole tokens to buy; otherwise the launch fails",
    examples: ["1000000"],
    "x-rule": "must be a number of tokens as text, with at most 6 decimals",
  }),
});

export const LaunchTransactionRequestSchema = t.fields({ transactionVersion, signedTransaction });

export const LaunchCostSchema = t.object("What a launch costs the agent that pays for it, in SOL", {
  total: t.sol("All of it, in SOL"),
  rent: t.sol("Rent of the accounts that it creates, in SOL"),
  networkFee: t.sol("The network's fee with the priority fee, in SOL"),
  creationFee: t.sol("What the launchpad and the service take for a new token, in SOL"),
  firstBuy: t.sol("What the first buy takes, in SOL"),
});

export const PreparedLaunchSchema = t.object("A launch that its agent pays for, to be signed", {
  success: t.success,
  transaction: t.text("The transaction to sign, base64; the service adds the mint's signature", {
    pattern: "^[A-Za-z0-9+/]+={0,2}$",
  }),
  expiresInSeconds: t.whole(
    "Seconds within which the signed transaction must be sent back, estimated from the chain's measured speed",
    { examples: [57] },
  ),
  costSOL: LaunchCostSchema,
  tokenMint: t.mint,
  poolAddress: t.pool,
  config: t.nullable(
    t.address(),
    "The launchpad's config that sets the shares of the fees; null on a sandbox",
  ),
  metadataUri: t.nullable(t.string, "The metadata document's address on chain; null on a sandbox"),
});

export const LaunchAcceptedSchema = t.object(
  "The answer to a launch request: the launch is stored and queued but not yet on chain",
  {
    success: t.success,
    eventId: t.uuid("The launch, for its status; UUID v4"),
    message: t.text("What happens next, for people"),
    replayed: t.optional(
      Type.Literal(true, {
        description: "Present if an earlier request with the same `Idempotency-Key` was accepted",
      }),
    ),
  },
);

export const RedeemRequestSchema = t.fields({
  code: requestText({
    minLength: limits.inviteCode.min,
    maxLength: limits.inviteCode.max,
    description: "The code of an invite to this service",
    examples: ["K7QF-2MNP-9XTA-44HW-ZZ23"],
    "x-rule": "must be a text of 1 to 64 characters",
  }),
});

export const RedeemedInviteSchema = t.object(
  "A redeemed invite: the wallet can now launch on a service that requires invites",
  {
    success: t.success,
    wasInvited: t.flag(
      "Whether the wallet had already redeemed an invite; if so, this code is not used",
    ),
  },
);
