import {
  ApiError,
  type CheckedProof,
  costInWords,
  type Fact,
  factTitle,
  proofVerdict,
} from "@tokenctl/sdk";
import { type Loaded, useLoad } from "../data/load.ts";
import { network, publicNode } from "../data/network.ts";
import { anyone } from "../data/read.ts";
import { useShared } from "../data/shared.ts";
import { Clock, Code } from "./format.tsx";
import { Ready } from "./states.tsx";
import { Badge, Card, Icon } from "./ui.tsx";

export const useProof = (mint: string) =>
  useLoad((signal) => anyone.tokenProof(mint, { signal }), [mint]);

export function Verdict({ checked: { data, error } }: { readonly checked: Loaded<CheckedProof> }) {
  if (useShared(network) === "sandbox" || (error instanceof ApiError && error.status === 404)) {
    return <p class="verdict">A sandbox: nothing here is worth anything.</p>;
  }
  if (error !== null) return <p class="verdict">The chain cannot be asked at the moment.</p>;
  if (data === null) return <p class="verdict">Asking the chain …</p>;
  const { passed } = data.proof;
  return (
    <p class={`verdict ${passed ? "good" : "bad"}`}>
      <Icon name={passed ? "check" : "cross"} />
      <span>{proofVerdict(data.proof)}</span>
    </p>
  );
}

export function Proofs(props: {
  readonly mint: string;
  readonly config: string;
  readonly checked: Loaded<CheckedProof>;
}) {
  const { mint, config, checked } = props;
  const node = publicNode(useShared(network));
  const command = `tokenctl verify ${mint} --config ${config} --rpc-url ${node}`;
  return (
    <Card title="Do not take our word for it">
      <Ready of={checked} what="what the chain shows" lines={6}>
        {({ checkedAt, proof }) => {
          const facts = proof.facts.toSorted((a, b) => Number(a.passes) - Number(b.passes));
          return (
            <>
              <p class="soft">
                Checked by this service at <Clock iso={checkedAt} />
              </p>
              <FactList facts={facts.slice(0, OPEN)} />
              <details>
                <summary>The other {facts.length - OPEN}</summary>
                <FactList facts={facts.slice(OPEN)} />
              </details>
            </>
          );
        }}
      </Ready>
      <p class="soft">Check it yourself. This command asks only the chain:</p>
      <Code text={command} name="Copy command" />
    </Card>
  );
}

/** The number of facts that are always visible; the others are folded. */
const OPEN = 4;

const FactList = ({ facts }: { facts: readonly Fact[] }) => (
  <ul class="facts proofs">
    {facts.map((fact) => (
      <li key={fact.name}>
        <div class="line">
          <Icon name={fact.passes ? "check" : "cross"} />
          <span class="label">{factTitle(fact)}</span>
          <Badge tone={fact.passes ? "good" : "bad"}>{VERDICTS[fact.verdict]}</Badge>
        </div>
        {fact.cost !== null && <div>{costInWords(fact)}</div>}
        <div>{fact.text}</div>
      </li>
    ))}
  </ul>
);

const VERDICTS = { safe: "Safe", costs: "Costs", unknown: "Unknown", wrong: "Wrong" } as const;
