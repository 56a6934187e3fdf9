import type { Fact, FactVerdict, TokenProof } from "@tokenctl/shared/types";

/** A proof in one sentence, and the number of its facts with each verdict. */
export interface ProofVerdict {
  readonly passed: boolean;
  readonly counts: Readonly<Record<FactVerdict, number>>;
  /** The facts that do not pass, in the order of the proof. */
  readonly failed: readonly Fact[];
  /** What is not known comes first, for example `Passes: 1 not known (Metadata), 21 safe.` */
  readonly sentence: string;
}

/**
 * Says a token's proof in words.
 *
 * @param proof from `verifyToken` or `client.tokenProof`
 * @example
 * import { proofVerdict, verifyToken } from "@tokenctl/sdk";
 *
 * const proof = await verifyToken(mint, { rpcUrl: "https://api.mainnet-beta.solana.com" });
 * console.log(proofVerdict(proof).sentence);
 */
export function proofVerdict(proof: Pick<TokenProof, "facts" | "passed">): ProofVerdict {
  const { facts, passed } = proof;
  const counts = { safe: 0, costs: 0, unknown: 0, wrong: 0 };
  for (const { verdict } of facts) counts[verdict] += 1;
  const failed = facts.filter(({ passes }) => !passes);
  const parts = (["unknown", "wrong", "costs", "safe"] as const).flatMap((verdict) => {
    const named = (verdict === "unknown" ? facts : failed).filter((of) => of.verdict === verdict);
    const names = named.length === 0 ? "" : ` (${named.map(factTitle).join(", ")})`;
    return counts[verdict] === 0 ? [] : [`${counts[verdict]} ${WORDS[verdict]}${names}`];
  });
  const most = largestCost(passed ? facts : failed);
  const cost = most === null ? "" : `; the largest costs ${most}`;
  const sentence = `${passed ? "Passes" : "Does not pass"}: ${parts.join(", ")}${cost}.`;
  return { passed, counts, failed, sentence };
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
 *
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
 *
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
