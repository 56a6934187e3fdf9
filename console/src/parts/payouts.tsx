import type { PaidClaim } from "@tokenctl/sdk";
import { formatSol } from "@tokenctl/shared/sol";
import { useMemo } from "preact/hooks";
import { paidOverTime } from "../data/earnings.ts";
import { useLoad } from "../data/load.ts";
import { useNews } from "../data/news.ts";
import { useSession } from "../data/session.ts";
import { Sol, Time, Transaction } from "./format.tsx";
import { TimePlot } from "./plot.tsx";
import { Ready } from "./states.tsx";
import { Button, Card, Dot, Empty, Item } from "./ui.tsx";

/** What claims have paid over time, of one token or of all: a plot, a list and a file. */
export function Payouts({ mint }: { readonly mint?: string }) {
  const { client } = useSession();
  const news = useNews();
  const history = useLoad(
    (signal) => client.claimHistoryPage({ signal, ...(mint !== undefined && { token: mint }) }),
    [client, mint, news],
  );
  const claims = history.data?.claims ?? NONE;
  const growth = useMemo(() => paidOverTime(claims), [claims]);
  const file = claims.length > 0 && <Button onClick={() => download(claims)}>Download CSV</Button>;
  return (
    <Card title="Payouts" actions={file}>
      <Ready of={history} what="your payouts">
        {() =>
          claims.length === 0 ? (
            <Empty title="No payouts yet">
              <p>What you claim is listed here.</p>
            </Empty>
          ) : (
            <>
              {claims.length > 1 && <TimePlot {...growth} label="Total SOL paid over time" />}
              <ul>
                {claims.map((claim) => (
                  <Payout
                    key={`${claim.transactionHash} ${claim.tokenMint}`}
                    claim={claim}
                    isOfOne={mint !== undefined}
                  />
                ))}
              </ul>
            </>
          )
        }
      </Ready>
    </Card>
  );
}

const NONE: readonly PaidClaim[] = [];

function Payout(props: {
  readonly claim: PaidClaim;
  /** Whether the list is of one token, whose name need not be said. */
  readonly isOfOne: boolean;
}) {
  const { ticker, claimedAt, claimedLamports, transactionHash } = props.claim;
  const time = <Time iso={claimedAt} />;
  const transaction = <Transaction hash={transactionHash} />;
  return (
    <Item
      lead={<Dot icon="check" tone="good" />}
      title={props.isOfOne ? time : ticker}
      sub={
        props.isOfOne ? (
          transaction
        ) : (
          <>
            {time} · {transaction}
          </>
        )
      }
      end={<Sol lamports={BigInt(claimedLamports)} />}
    />
  );
}

function download(claims: readonly PaidClaim[]): void {
  const rows = claims.map(({ claimedAt, ticker, tokenMint, claimedLamports, transactionHash }) =>
    [
      claimedAt,
      ticker,
      tokenMint,
      claimedLamports,
      formatSol(BigInt(claimedLamports)),
      transactionHash,
    ].join(","),
  );
  const text = ["time,ticker,mint,lamports,sol,transaction", ...rows, ""].join("\r\n");
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = "fees.csv";
  link.click();
  URL.revokeObjectURL(url);
}
