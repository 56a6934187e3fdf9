import { TOKEN_FACTS } from "../token-facts.ts";
import * as t from "./values.ts";

const names = Object.keys(TOKEN_FACTS) as (keyof typeof TOKEN_FACTS)[];

export const FactNameSchema = t.openChoice(
  names,
  "What a fact is about; later versions may add others",
);

export const FactVerdictSchema = t.openChoice(
  ["safe", "costs", "unknown", "wrong"],
  "`safe`: the chain shows that it costs nothing; `costs`: it costs what `cost` says; `unknown`: what it costs cannot be told; `wrong`: it contradicts the chain, or what was expected",
);

export const FactCostSchema = t.object("What a fact costs", {
  amount: t.number("How much"),
  of: t.text("Its unit, and of what it is a part", { examples: ["% of a trade on the curve"] }),
  atMost: t.number("The most that passes"),
});

export const FactSchema = t.object("One fact that the chain shows of a token", {
  name: FactNameSchema,
  verdict: FactVerdictSchema,
  passes: t.flag(
    "Whether it is safe, or costs at most its limit; what is unknown fails, apart from `metadata`",
  ),
  text: t.text("The fact in words", { examples: ["none: no more tokens can be made"] }),
  cost: t.nullable(FactCostSchema, "Null unless the verdict is `costs`"),
});

export const TokenProofSchema = t.object("What the chain shows of a token", {
  tokenMint: t.mint,
  name: t.nullable(t.tokenName, "The name on chain; null if it cannot be read"),
  symbol: t.nullable(t.ticker, "The symbol on chain; null if it cannot be read"),
  passed: t.flag("Whether every fact passes"),
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
