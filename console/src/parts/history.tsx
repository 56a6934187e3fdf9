import type { PaidClaim } from "@tokenctl/sdk";
import { formatSol, lamportsToSol } from "@tokenctl/shared/sol";
import { useMemo } from "preact/hooks";
import { useLoad } from "../data/load.ts";
import { explorerLink } from "../data/network.ts";
import { useNews } from "../data/news.ts";
import { useSession } from "../data/session.ts";
import { Sol, Time } from "./format.tsx";
import { Plot } from "./plot.tsx";
import { Empty, Loading, Problem } from "./states.tsx";

/** What claims have paid over time, of one token or of all: a plot, its table, and a file. */
export function History({ mint }: { readonly mint?: string }) {
  const { client } = useSession();
  const news = useNews();
  const history = useLoad(
    (signal) => client.claimHistoryPage({ signal, ...(mint !== undefined && { token: mint }) }),
    [client, mint, news],
  );
  const claims = history.data?.claims ?? NONE;
  const { times, values } = useMemo(() => growth(claims), [claims]);
  if (history.data === null) {
    if (history.error !== null) return <Problem error={history.error} onRetry={history.reload} />;
    return <Loading what="your paid fees" />;
  }
  return (
    <section>
      <div class="row">
        <h2>Paid fees</h2>
        {claims.length > 0 && (
          <button type="button" onClick={() => download(claims)}>
            Download CSV
          </button>
        )}
      </div>
      {claims.length === 0 ? (
        <Empty>No fees claimed yet.</Empty>
      ) : (
        <>
          {times.length > 1 && (
            <Plot times={times} values={values} label="Total SOL paid over time" />
          )}
          <Table claims={claims} isOfOneToken={mint !== undefined} />
        </>
      )}
    </section>
  );
}

const NONE: readonly PaidClaim[] = [];

function Table({
  claims,
  isOfOneToken,
}: {
  readonly claims: readonly PaidClaim[];
  readonly isOfOneToken: boolean;
}) {
  const { network } = useSession();
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">When</th>
          {!isOfOneToken && <th scope="col">Token</th>}
          <th scope="col" class="number">
            Paid
          </th>
          <th scope="col">Transaction</th>
        </tr>
      </thead>
      <tbody>
        {claims.map((claim) => (
          <tr key={`${claim.transactionHash} ${claim.tokenMint}`}>
            <td>
              <Time iso={claim.claimedAt} />
            </td>
            {!isOfOneToken && <th scope="row">{claim.ticker}</th>}
            <td class="number">
              <Sol lamports={BigInt(claim.claimedLamports)} />
            </td>
            <td>
              <Transaction
                hash={claim.transactionHash}
                link={explorerLink(network, "tx", claim.transactionHash)}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Transaction({ hash, link }: { readonly hash: string; readonly link: string | null }) {
  const text = `${hash.slice(0, 8)}…`;
  if (link === null) return <span title={hash}>{text}</span>;
  return (
    <a href={link} title={hash} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  );
}

/** @returns what was paid in all after each claim, oldest first */
function growth(claims: readonly PaidClaim[]) {
  let paid = 0n;
  const points = claims.toReversed().map(({ claimedAt, claimedLamports }) => {
    paid += BigInt(claimedLamports);
    return { time: Date.parse(claimedAt) / 1_000, value: lamportsToSol(paid) };
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
