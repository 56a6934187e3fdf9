import type { Fact, FactVerdict, TokenProof } from "@tokenctl/shared/types";

/** A proof in one sentence, and the number of its facts with each verdict. */
export interface ProofVerdict {
  readonly passed: boolean;
  readonly counts: Readonly<Record<FactVerdict, number>>;
  /** The facts that do not pass, in the order of the proof. */
  readonly failed: readonly Fact[];
  /** For example `Passes: 19 facts are safe and 3 cost something within limits.` */
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
  return { passed, counts, failed, sentence: passed ? praise(counts) : blame(failed) };
}

function praise({ safe, costs, unknown }: ProofVerdict["counts"]): string {
  const parts = [
    `${safe} ${safe === 1 ? "fact is" : "facts are"} safe`,
    ...(costs > 0 ? [`${costs} ${costs === 1 ? "costs" : "cost"} something within limits`] : []),
    ...(unknown > 0 ? [`${unknown} ${unknown === 1 ? "is" : "are"} not known`] : []),
  ];
  return `Passes: ${listed(parts)}.`;
}

const REASONS: readonly (readonly [FactVerdict, string])[] = [
  ["wrong", "wrong"],
  ["costs", "costs more than its limit"],
  ["unknown", "not known"],
];

function blame(failed: readonly Fact[]): string {
  const reasons = REASONS.flatMap(([verdict, reason]) => {
    const names = failed.filter((fact) => fact.verdict === verdict).map(factTitle);
    return names.length > 0 ? [`${reason}: ${names.join(", ")}`] : [];
  });
  return `Does not pass; ${reasons.join("; ")}.`;
}

function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
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
