import { Type } from "@sinclair/typebox";
import * as t from "./values.ts";

const price = Type.Number({
  minimum: 0,
  description: "SOL for one token",
  examples: [0.0000000325],
});

export const MarketSchema = t.object("What a token's pool says of its market", {
  tokenMint: t.mint,
  priceSOL: price,
  marketCapSOL: t.sol("What all tokens together are worth at this price, in SOL"),
  isMigrated: t.flag("Whether the pool has migrated from the bonding curve to the liquidity pool"),
  raisedSOL: t.sol("SOL in the bonding curve; once it has migrated, what it took"),
  graduationSOL: t.sol("SOL in the bonding curve at which it migrates"),
  missingSOL: t.sol("What is missing to that; 0 once it has migrated"),
  creatorFeesSOL: t.sol("Fees that the creator has earned on the bonding curve, in SOL"),
  tradedSOL: t.sol(
    "SOL of all trades on the bonding curve that the service has seen, from the fees they paid: exact if the fee stays the same, and close if it changes",
  ),
  changedAt: t.timestamp("When the service saw that any of this had changed; ISO-8601 in UTC"),
});

export const MarketListSchema = t.object("Markets of tokens", {
  markets: t.list(
    MarketSchema,
    "Those of the tokens that the service knows and has read, in any order",
  ),
});

export const CurveKnotSchema = t.object("A place on a bonding curve", {
  raisedSOL: t.sol("SOL in the bonding curve"),
  priceSOL: price,
});

export const PricePointSchema = t.object("A price, and from when on it held", {
  at: t.timestamp(),
  priceSOL: price,
});

export const MarketHistorySchema = t.object("A token's market, its bonding curve and its prices", {
  market: t.nullable(MarketSchema, "Null until the service has read it the first time"),
  curve: t.list(
    CurveKnotSchema,
    "The bonding curve from its first price to migration; between two places the square root of the price grows in proportion to the SOL. Empty if not known",
  ),
  prices: t.list(
    PricePointSchema,
    "Oldest first: the last price of each minute or hour in which it changed",
  ),
});
