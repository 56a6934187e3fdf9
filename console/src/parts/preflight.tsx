import type { LaunchCheck, TradeFee } from "@tokenctl/sdk";
import { feeInWords } from "@tokenctl/shared/fee-words";
import { formatSol, solToLamports } from "@tokenctl/shared/sol";
import type { Loaded } from "../data/load.ts";
import { Sol } from "./format.tsx";
import { inWords, sentence } from "./states.tsx";
import { Card, Rows, Skeleton } from "./ui.tsx";

/** Returns why a launch would be refused, except for reasons that the fields show. */
export function blockersOf(check: LaunchCheck | null): readonly string[] {
  const { refusals = [], payment } = check ?? {};
  const saidElsewhere = ["validation_failed", "ticker_taken"];
  if (payment?.canPay === false) saidElsewhere.push("launch_unaffordable");
  const texts = refusals
    .filter(({ code }) => !saidElsewhere.includes(code))
    .map(({ error, message }) => [sentence(error), message].filter(Boolean).join(" "));
  if (payment?.canPay !== false) return texts;
  const [holds, needs] = [payment.balanceSOL, payment.requiredSOL]
    .map(solToLamports)
    .map(formatSol);
  return [...texts, `Your wallet holds ${holds} SOL. To pay for the launch it needs ${needs} SOL.`];
}

export function Preflight(props: {
  readonly check: Loaded<LaunchCheck>;
  readonly isFilled: boolean;
}) {
  const { isFilled } = props;
  const { data, error } = props.check;
  return (
    <Card title="What happens">
      <div aria-live="polite">
        {error !== null && <p class="bad">{inWords(error).text}</p>}
        {!isFilled && <p class="soft">Enter a name and a ticker.</p>}
        {blockersOf(data).map((text) => (
          <p class="bad" key={text}>
            {text}
          </p>
        ))}
        {data?.ok && isFilled && <p class="good">It can be launched now.</p>}
        {data?.endsAs && <p class="bad">It would end without a token: {data.endsAs.error}.</p>}
        {data && !data.service.ok && <p class="bad">It would wait: {data.service.message}</p>}
      </div>
      {data && <Facts {...data} />}
      {data === null && error === null && <Skeleton what="what happens" lines={5} />}
    </Card>
  );
}

function Facts(check: LaunchCheck) {
  const { queue, agent, fees, payment } = check;
  return (
    <Rows
      rows={[
        ["Cost", costText(payment)],
        ["You earn", fees && shareText(fees.bondingCurve)],
        ["Place in the queue", queue.place],
        ["Your next launch", agent.hasLaunchedToday && "00:00 UTC"],
        ["Launches today", `${agent.accepted}${agent.limit === null ? "" : ` of ${agent.limit}`}`],
      ]}
    />
  );
}

const shareText = (fee: TradeFee) =>
  `${fee.creatorSharePercent} % of the fee, after the protocol's cut: ${feeInWords(fee)}`;

function costText(payment: LaunchCheck["payment"]) {
  if (payment === undefined) return "Nothing: the service pays";
  if (payment === null) return "Not known at the moment; your wallet pays";
  return (
    <>
      <Sol lamports={solToLamports(payment.costSOL.total)} /> at most; your wallet pays
    </>
  );
}
