import * as t from "./values.ts";

export const FactNameSchema = t.openChoice(
  [
    "token",
    "mint_authority",
    "freeze_authority",
    "extensions",
    "update_authority",
    "metadata",
    "pool",
    "config",
    "creator",
    "curve_fees",
    "pool_fees",
    "locked_liquidity",
    "delegates",
    "supply",
  ],
  "What a fact is about; later versions may add others",
);

export const FactSchema = t.object("One fact that the chain shows of a token", {
  name: FactNameSchema,
  status: t.choice(
    ["pass", "fail", "info"],
    "`pass`: it is as it should be, and the chain shows it; `fail`: it is not, or is not known; `info`: it is neither good nor bad",
  ),
  text: t.text("The fact in words", { examples: ["none: no more tokens can be made"] }),
});

export const TokenProofSchema = t.object("What the chain shows of a token", {
  tokenMint: t.mint,
  passed: t.flag("Whether no fact fails"),
  facts: t.list(FactSchema, "In the order in which they are shown"),
  poolAddress: t.nullable(t.address(), "The bonding curve's pool; null if there is none"),
  config: t.nullable(t.address(), "The pool's config; null without a pool"),
  creator: t.nullable(
    t.address(),
    "The wallet that has the creator's role in the pool; null without a pool",
  ),
  liquidityPoolAddress: t.nullable(
    t.address(),
    "The pool to which the curve migrated; null before that",
  ),
  metadataSha256: t.nullable(
    t.text("Hex"),
    "SHA-256 of the metadata document's bytes, in hex; null if it was not read",
  ),
});

export const CheckedProofSchema = t.object("A token's proof, as the service has read it", {
  checkedAt: t.timestamp("When the service asked the chain; ISO-8601 in UTC"),
  proof: TokenProofSchema,
});
