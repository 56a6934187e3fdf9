import { formatSol } from "@tokenctl/shared/sol";
import { Declined } from "../data/confirm.ts";
import { payoutAddress } from "../data/payout.ts";
import { useSession } from "../data/session.ts";
import { confirmed } from "./confirmation.tsx";
import { FieldForm, useWork } from "./field-form.tsx";
import { notice } from "./notices.tsx";
import { Card } from "./ui.tsx";

export function HandOver(props: {
  readonly mint: string;
  readonly ticker: string;
  readonly onDone: () => void;
}) {
  const { mint, ticker, onDone } = props;
  const { client, address } = useSession();
  const work = useWork();
  const handOver = async (to: string) => {
    const payout = payoutAddress(address);
    await client.handOver(mint, {
      to,
      claimTo: payout ?? undefined,
      approve: async ({ networkFeeLamports, rentLamports }) => {
        const cost = formatSol(networkFeeLamports + rentLamports);
        const text = `The fees that it earns from now on go to ${to} for good: you cannot take this back. What waits for you is claimed first${payout === null ? "" : `, to ${payout}`}. It costs at most ${cost} SOL.`;
        const yes = await confirmed({ title: `Hand ${ticker} over?`, text, yes: "Hand over" });
        if (!yes) throw new Declined();
      },
    });
    notice(`${ticker} is handed over`);
  };
  return (
    <Card title="Hand over">
      <p class="soft">Another wallet gets the fees that this token earns from then on.</p>
      <FieldForm
        kind="stacked"
        name="heir"
        label="Address of the other wallet"
        work={work}
        yes="Hand over …"
        onSubmit={(to) => handOver(to).finally(onDone)}
      />
    </Card>
  );
}
