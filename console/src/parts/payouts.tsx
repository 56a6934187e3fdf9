import type { PaidClaim } from "@tokenctl/sdk";
import { formatSol, lamportsToSol } from "@tokenctl/shared/sol";
import { useMemo } from "preact/hooks";
import { useLoad } from "../data/load.ts";
import { useNews } from "../data/news.ts";
import { useSession } from "../data/session.ts";
import { Sol, Time, Transaction } from "./format.tsx";
import { Plot } from "./plot.tsx";
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
  const { times, values } = useMemo(() => growth(claims), [claims]);
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
              {times.length > 1 && (
                <Plot times={times} values={values} label="Total SOL paid over time" />
              )}
              <ul>
                {claims.map((claim) => (
                  <Payout key={`${claim.transactionHash} ${claim.tokenMint}`} {...claim} />
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

function Payout({ ticker, claimedAt, claimedLamports, transactionHash }: PaidClaim) {
  return (
    <Item
      lead={<Dot icon="check" tone="good" />}
      title={ticker}
      sub={
        <>
          <Time iso={claimedAt} /> · <Transaction hash={transactionHash} />
        </>
      }
      end={<Sol lamports={BigInt(claimedLamports)} />}
    />
  );
}

/** @returns what was paid in all after each claim, oldest first */
function growth(claims: readonly PaidClaim[]) {
  let paid = 0n;
  const points = claims.toReversed().map(({ claimedAt, claimedLamports }) => {
    paid += BigInt(claimedLamports);
    return { time: Date.parse(claimedAt), value: lamportsToSol(paid) };
  });
  return { times: points.map(({ time }) => time), values: points.map(({ value }) => value) };
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
