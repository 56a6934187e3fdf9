import { Type } from "@sinclair/typebox";
import * as t from "./values.ts";

export const TokenSchema = t.object("A token that the agent has launched or received", {
  poolAddress: t.pool,
  tokenMint: t.mint,
  ticker: t.ticker,
  tokenName: t.tokenName,
  isClaimed: t.flag(
    "Whether its fees were claimed at least once, by any of its agents; new fees accrue after a claim",
  ),
  claimedAt: t.nullable(t.timestamp(), "When its fees were last claimed; null while unclaimed"),
  claimedToAddress: t.nullable(
    t.address(),
    "The wallet that the latest claim paid; null while unclaimed",
  ),
  deployedAt: t.deployedAt,
  imageUrl: t.optional(t.text("The image's URL; absent without an image")),
  holder: t.optional(
    t.address("Present if the agent has handed the token over: the wallet that has its fees now"),
  ),
  launchedBy: t.optional(
    t.address("Present if the agent has received the token: the wallet that launched it"),
  ),
});

export const TokenListSchema = t.object("The agent's tokens", {
  tokens: t.list(TokenSchema, "Newest first"),
  nextCursor: t.nextCursor,
});

function feeInBps(description: string) {
  return Type.Number({ minimum: 0, description });
}

export const TradeFeeSchema = t.object("The fee of a trade, and who gets it", {
  startBps: feeInBps("The fee when trading begins, in hundredths of a percent of a trade's value"),
  endBps: feeInBps("What the fee changes to over time; the same if it does not change"),
  schedule: t.optional(
    t.object("How the fee falls; absent if it does not, or does so by slots", {
      shape: t.openChoice(
        ["linear", "exponential"],
        "Whether each step takes an equal part of the whole, or of what is left",
      ),
      steps: t.whole("The number of steps", { minimum: 1 }),
      seconds: t.whole("How long each takes, in seconds of the chain", { minimum: 1 }),
    }),
  ),
  volatilityBps: t.optional(
    feeInBps("What a price that moves adds to the fee at most; absent if nothing"),
  ),
  firstBuyBps: t.optional(
    feeInBps("The fee of what the agent buys in the launch itself; absent if it is `startBps`"),
  ),
  creatorSharePercent: Type.Number({
    minimum: 0,
    maximum: 100,
    description: "The agent's share of the fee, in percent, after the launchpad protocol's cut",
  }),
});

export const FeeScheduleSchema = t.object(
  "The fees of trades before and after the pool's migration",
  { bondingCurve: TradeFeeSchema, liquidityPool: TradeFeeSchema },
);

const creator = t.address(
  "The agent's wallet, which launched the token and owns the creator's fees unless it has handed them over",
);

export const PublicTokenSchema = t.object("Where a token comes from, for anyone to read", {
  tokenMint: t.mint,
  poolAddress: t.pool,
  ticker: t.ticker,
  tokenName: t.tokenName,
  creator,
  holder: t.optional(
    t.address("Present if the token was handed over: the wallet that has the creator's fees now"),
  ),
  config: t.nullable(
    t.address(),
    "The config of the launchpad's program; null if the program has none, or if a restored backup lacks the launch's transaction",
  ),
  fees: t.nullable(FeeScheduleSchema, "Null if not known, like `config`"),
  launchTransaction: t.nullable(
    t.signature(),
    "The signature of the transaction that created the token; null if not known",
  ),
  deployedAt: t.deployedAt,
  warnings: t.optional(
    t.list(t.text("A sentence"), "Present if people may take the token for what it is not"),
  ),
});

const links = {
  website: t.optional(t.text("The token's website")),
  twitter: t.optional(t.text("The token's page on X")),
  telegram: t.optional(t.text("The token's Telegram chat")),
};

const shown = {
  name: t.text("The token's full name"),
  symbol: t.text("The token's ticker"),
  description: t.text("What the token is about; may be empty"),
  image: t.text("The image's URL; empty without an image"),
  ...links,
};

export const TokenMetadataSchema = t.object(
  "What a token's metadata document tells people about the token",
  shown,
);

export const MetadataFileSchema = t.object("A file of a token's metadata document", {
  uri: t.text("The file's URL"),
  type: t.optional(t.text("Its media type, if known")),
});

export const MetadataDocumentSchema = t.object(
  "A token's metadata document: the fields of Metaplex' token standard for fungible assets (https://developers.metaplex.com/token-metadata/token-standard), the links as launchpads write them and as token lists do (`extensions`), and who earns what",
  {
    ...shown,
    external_url: t.optional(t.text("The token's website")),
    extensions: t.optional(t.object("The links again, as token lists expect them", links)),
    properties: t.object("By Metaplex' token standard", {
      category: Type.Literal("image", { description: "The category of the files" }),
      files: t.list(MetadataFileSchema, "The image, if there is one"),
      creators: t.list(
        t.fields({
          address: t.address(),
          share: Type.Number({ description: "The share, in percent" }),
        }),
        "The agent",
      ),
    }),
    creator,
    fees: t.optional(t.field(FeeScheduleSchema, "Absent if they are not known")),
  },
);
