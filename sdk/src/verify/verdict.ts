import type { Fact, FactVerdict, TokenProof } from "@tokenctl/shared/types";

/**
 * Sums up a token's proof in one sentence, unknown facts first.
 * @param proof from `verifyToken` or `client.tokenProof`
 * @returns for example `Passes: 1 not known (Metadata), 21 safe.`
 * @example
 * import { proofVerdict, verifyToken } from "@tokenctl/sdk";
 *
 * const proof = await verifyToken(mint, { rpcUrl: "https://api.mainnet-beta.solana.com" });
 * console.log(proofVerdict(proof));
 */
export function proofVerdict({ facts, passed }: Pick<TokenProof, "facts" | "passed">): string {
  const parts = (["unknown", "wrong", "costs", "safe"] as const).flatMap((verdict) => {
    const all = facts.filter((fact) => fact.verdict === verdict);
    const named = all.filter(({ passes }) => verdict === "unknown" || !passes);
    const names = named.length === 0 ? "" : ` (${named.map(factTitle).join(", ")})`;
    return all.length === 0 ? [] : [`${all.length} ${WORDS[verdict]}${names}`];
  });
  const most = largestCost(passed ? facts : facts.filter(({ passes }) => !passes));
  const cost = most === null ? "" : `; the largest costs ${most}`;
  return `${passed ? "Passes" : "Does not pass"}: ${parts.join(", ")}${cost}.`;
}

const WORDS = {
  unknown: "not known",
  wrong: "wrong",
  costs: "with a cost",
  safe: "safe",
} satisfies Record<FactVerdict, string>;

/** Returns the cost that is the largest share of its limit, for example `2 % of a trade`. */
function largestCost(facts: readonly Fact[]): string | null {
  const share = ({ amount, atMost }: NonNullable<Fact["cost"]>) => amount / atMost;
  const [most] = facts
    .flatMap(({ cost }) => cost ?? [])
    // Two limits of 0 are both exceeded infinitely.
    .sort((a, b) => share(b) - share(a) || 0);
  return most ? `${most.amount} ${most.of}` : null;
}

/**
 * Names a fact for people.
 * @returns for example `Mint authority` for `mint_authority`
 * @example
 * import { factTitle } from "@tokenctl/sdk";
 *
 * const { proof } = await client.tokenProof(mint);
 * console.log(proof.facts.map(factTitle).join(", "));
 */
export function factTitle({ name }: Pick<Fact, "name">): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1).replaceAll("_", " ");
}

/**
 * Says what a fact costs.
 * @returns for example `2.5 % of a trade on the curve, limit 10`; null if the fact costs nothing
 * @example
 * import { costInWords, factTitle } from "@tokenctl/sdk";
 *
 * const { proof } = await client.tokenProof(mint);
 * for (const fact of proof.facts) console.log(factTitle(fact), costInWords(fact) ?? "free");
 */
export function costInWords({ cost }: Pick<Fact, "cost">): string | null {
  return cost && `${cost.amount} ${cost.of}, limit ${cost.atMost}`;
}
