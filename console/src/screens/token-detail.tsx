import { useState } from "preact/hooks";
import { claimableOf, claimedOf, claimTogether } from "../data/fees.ts";
import { useLoad } from "../data/load.ts";
import { useNews } from "../data/news.ts";
import { useSession } from "../data/session.ts";
import { Address, Sol, Time } from "../parts/format.tsx";
import { History } from "../parts/history.tsx";
import { Loading, Problem } from "../parts/states.tsx";
import { hrefs } from "../router.ts";

/** One token: what it earned over time, its addresses, and on a sandbox its market. */
export function TokenDetail({ mint }: { readonly mint: string }) {
  const { client, isSandbox } = useSession();
  const news = useNews();
  const [trades, setTrades] = useState(0);
  const token = useLoad((signal) => client.token(mint, { signal }), [client, mint, news]);
  const fees = useLoad((signal) => client.claims({ signal }), [client, news, trades]);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);

  if (token.data === null) {
    if (token.error !== null) return <Problem error={token.error} onRetry={token.reload} />;
    return <Loading what="the token" />;
  }
  const { ticker, tokenName, poolAddress, deployedAt } = token.data;
  const record = fees.data?.claims.find(({ tokenMint }) => tokenMint === mint);

  async function run(work: () => Promise<unknown>) {
    setIsBusy(true);
    setError(null);
    await work().catch(setError);
    setIsBusy(false);
    setTrades((count) => count + 1);
  }

  return (
    <>
      <p>
        <a href={hrefs.tokens}>← Tokens</a>
      </p>
      <h1>
        {ticker} <span class="label">{tokenName}</span>
      </h1>
      {error !== null && <Problem error={error} />}
      <div class="row">
        <div class="total">
          <span class="label">To claim</span>{" "}
          {record ? <Sol lamports={claimableOf(record)} /> : "…"}
        </div>
        <div class="total">
          <span class="label">Claimed</span> {record ? <Sol lamports={claimedOf(record)} /> : "…"}
        </div>
        <button
          type="button"
          class="primary"
          disabled={isBusy || !record || claimableOf(record) === 0n}
          onClick={() => record && void run(() => claimTogether(client, [record]))}
        >
          Claim
        </button>
      </div>
      {isSandbox && (
        <fieldset disabled={isBusy}>
          <legend>Sandbox market</legend>
          <button
            type="button"
            onClick={() =>
              void run(() => client.dev.trade({ tokenMint: mint, side: "buy", sol: 1 }))
            }
          >
            Buy for 1 SOL
          </button>
          <button
            type="button"
            onClick={() =>
              void run(() => client.dev.trade({ tokenMint: mint, side: "sell", sol: 0.5 }))
            }
          >
            Sell for 0.5 SOL
          </button>
          <button
            type="button"
            disabled={record?.isMigrated}
            onClick={() => void run(() => client.dev.graduate({ tokenMint: mint }))}
          >
            Graduate
          </button>
          <button type="button" onClick={() => void run(() => client.dev.airdrop({ sol: 1 }))}>
            Get 1 SOL
          </button>
        </fieldset>
      )}
      <History mint={mint} />
      <h2>About</h2>
      <dl>
        <dt>Mint</dt>
        <dd>
          <Address value={mint} />
        </dd>
        <dt>Pool</dt>
        <dd>
          <Address value={poolAddress} /> {record?.isMigrated ? "migrated" : "on its curve"}
        </dd>
        <dt>Launched</dt>
        <dd>
          <Time iso={deployedAt} />
        </dd>
      </dl>
    </>
  );
}
