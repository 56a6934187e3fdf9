import { formatSol } from "@tokenctl/shared/sol";
import { useState } from "preact/hooks";
import { Declined } from "../data/confirm.ts";
import { payoutAddress } from "../data/payout.ts";
import { useSession } from "../data/session.ts";
import { confirmed } from "./confirmation.tsx";
import { Field } from "./field.tsx";
import { notice } from "./notices.tsx";
import { inWords } from "./states.tsx";
import { Button, Card } from "./ui.tsx";

/** Gives the fees that a token earns from now on to another wallet, for good. */
export function HandOver(props: {
  readonly mint: string;
  readonly ticker: string;
  readonly onDone: () => void;
}) {
  const { mint, ticker, onDone } = props;
  const { client, address } = useSession();
  const [to, setTo] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const work = async () => {
    const payout = payoutAddress(address);
    await client.handOver(mint, {
      to: to.trim(),
      claimTo: payout ?? undefined,
      approve: async ({ networkFeeLamports, rentLamports }) => {
        const cost = formatSol(networkFeeLamports + rentLamports);
        const text = `The fees that it earns from now on go to ${to.trim()} for good: you cannot take this back. What waits for you is claimed first${payout === null ? "" : `, to ${payout}`}. It costs at most ${cost} SOL.`;
        const yes = await confirmed({ title: `Hand ${ticker} over?`, text, yes: "Hand over" });
        if (!yes) throw new Declined();
      },
    });
    notice(`${ticker} is handed over`);
    setTo("");
  };
  const submit = (event: Event) => {
    event.preventDefault();
    setIsBusy(true);
    setProblem(undefined);
    void work()
      .catch((error) => setProblem(inWords(error).text))
      .then(() => {
        setIsBusy(false);
        onDone();
      });
  };
  return (
    <Card title="Hand over">
      <p class="soft">Another wallet gets the fees that this token earns from then on.</p>
      <form class="hand-over" onSubmit={submit}>
        <Field
          name="heir"
          label="Address of the other wallet"
          value={to}
          problem={problem}
          onInput={setTo}
        />
        <Button type="submit" isBusy={isBusy} disabled={to.trim() === ""}>
          Hand over …
        </Button>
      </form>
    </Card>
  );
}
