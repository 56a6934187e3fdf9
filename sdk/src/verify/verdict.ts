import type { Fact, FactVerdict, TokenProof } from "@tokenctl/shared/types";

/** A proof in one sentence, and the number of its facts with each verdict. */
export interface ProofVerdict {
  readonly passed: boolean;
  readonly counts: Readonly<Record<FactVerdict, number>>;
  /** The facts that do not pass, in the order of the proof. */
  readonly failed: readonly Fact[];
  /** What is not known comes first, for example `Passes: of 22 facts 22 are safe.` */
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
  const sentence = passed ? praise(counts, facts) : blame(counts.unknown, facts, failed);
  return { passed, counts, failed, sentence };
}

function praise(counts: ProofVerdict["counts"], facts: readonly Fact[]): string {
  const { safe, costs, unknown } = counts;
  const named = namesOf(facts, "unknown");
  const parts = [
    ...(unknown > 0 ? [`${unknown} ${unknown === 1 ? "is" : "are"} not known (${named})`] : []),
    `${safe} ${safe === 1 ? "is" : "are"} safe`,
    ...(costs > 0 ? [`${costs} ${costs === 1 ? "costs" : "cost"} something within limits`] : []),
  ];
  const most = largestCost(facts);
  const added = most === null ? "" : `; the closest to its limit costs ${most}`;
  return `Passes: of ${facts.length} facts ${listed(parts)}${added}.`;
}

function blame(unknown: number, facts: readonly Fact[], failed: readonly Fact[]): string {
  const most = largestCost(failed);
  const reasons = [
    ...reason(`${unknown} not known`, namesOf(facts, "unknown")),
    ...reason("wrong", namesOf(failed, "wrong")),
    ...reason("costs more than its limit", namesOf(failed, "costs")),
    ...(most === null ? [] : [`the furthest above it costs ${most}`]),
  ];
  return `Does not pass; ${reasons.join("; ")}.`;
}

const reason = (name: string, of: string) => (of === "" ? [] : [`${name}: ${of}`]);

const namesOf = (facts: readonly Fact[], of: FactVerdict) =>
  facts
    .filter(({ verdict }) => verdict === of)
    .map(factTitle)
    .join(", ");

/** Returns the cost that is the largest share of its limit, for example `2 % of a trade`. */
function largestCost(facts: readonly Fact[]): string | null {
  const share = ({ amount, atMost }: NonNullable<Fact["cost"]>) => amount / atMost;
  const [most] = facts
    .flatMap(({ cost }) => cost ?? [])
    // Two limits of 0 are both exceeded infinitely.
    .sort((a, b) => share(b) - share(a) || 0);
  return most ? `${most.amount} ${most.of}` : null;
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
