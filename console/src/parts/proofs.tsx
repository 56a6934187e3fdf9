import { costInWords, type Fact, factTitle, proofVerdict } from "@tokenctl/sdk";
import { useState } from "preact/hooks";
import { useLoad } from "../data/load.ts";
import { anyone, network, publicNode } from "../data/network.ts";
import { useShared } from "../data/shared.ts";
import { Code } from "./code.tsx";
import { Clock } from "./format.tsx";
import { Ready } from "./states.tsx";
import { Badge, Card } from "./ui.tsx";

/** What the chain shows of a token, once it is asked for, and how anyone checks it without the service. */
export function Proofs({ mint, config }: { readonly mint: string; readonly config: string }) {
  const [isAsked, setIsAsked] = useState(false);
  const node = publicNode(useShared(network));
  const command = `tokenctl verify ${mint} --config ${config} --rpc-url ${node}`;
  return (
    <Card title="Do not take our word for it">
      <p class="soft">
        The chain shows who may mint, freeze and change the token, who earns what, how much
        liquidity is locked permanently and for whom, and whether the metadata matches.
      </p>
      <details onToggle={() => setIsAsked(true)}>
        <summary>What the chain shows</summary>
        {isAsked && <Facts mint={mint} />}
      </details>
      <p class="soft">Check it yourself. This command asks only the chain:</p>
      <Code text={command} name="Copy command" />
    </Card>
  );
}

const VERDICTS = { safe: "Safe", costs: "Costs", unknown: "Unknown", wrong: "Wrong" } as const;

function Facts({ mint }: { readonly mint: string }) {
  const checked = useLoad((signal) => anyone.tokenProof(mint, { signal }), [mint]);
  return (
    <Ready of={checked} what="what the chain shows" lines={6}>
      {({ checkedAt, proof }) => (
        <>
          <p>{proofVerdict(proof).sentence}</p>
          <p class="soft">
            Checked by this service at <Clock iso={checkedAt} />
          </p>
          <ul class="facts proofs">
            {proof.facts.map((fact) => (
              <Shown key={fact.name} {...fact} />
            ))}
          </ul>
        </>
      )}
    </Ready>
  );
}

function Shown(fact: Fact) {
  const { verdict, passes, text } = fact;
  const cost = costInWords(fact);
  return (
    <li>
      <div class="line">
        <span class="label">{factTitle(fact)}</span>
        <Badge tone={passes ? "good" : "bad"}>{VERDICTS[verdict]}</Badge>
      </div>
      {cost !== null && <div>{cost}</div>}
      <div>{text}</div>
    </li>
  );
}
