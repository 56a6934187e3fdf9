import { useState } from "preact/hooks";
import { claimTogether } from "../data/fees.ts";
import { hrefs } from "../data/hrefs.ts";
import { useLoad } from "../data/load.ts";
import { useNews, useTicks } from "../data/news.ts";
import { useSession } from "../data/session.ts";
import { Earnings } from "../parts/earnings.tsx";
import { useWork } from "../parts/field-form.tsx";
import { HandOver } from "../parts/hand-over.tsx";
import { Chart, CurveProgress, useChart } from "../parts/market.tsx";
import { Share } from "../parts/share.tsx";
import { Problem, Ready } from "../parts/states.tsx";
import { Timeline, useHistory } from "../parts/timeline.tsx";
import { usePart } from "../parts/together.tsx";
import { TokenHead } from "../parts/token-image.tsx";
import { Badge, Button, Card } from "../parts/ui.tsx";
import { useTitle } from "../router.ts";

export function TokenDetail({ mint }: { readonly mint: string }) {
  const session = useSession();
  const { client, isSandbox } = session;
  const news = useNews();
  const ticks = useTicks();
  const [trades, setTrades] = useState(0);
  const token = useLoad((signal) => client.token(mint, { signal }), [client, mint, news]);
  const fees = useLoad(
    (signal) => client.claims({ signal, received: true }),
    [client, ticks, trades],
  );
  const work = useWork();
  const { isBusy, error } = work;
  const chart = useChart(mint);
  const market = chart.read.data?.market;
  const history = useHistory(mint);
  const migrated = history.data?.events.find(
    ({ type, data }) => type === "token.migrated" && data.tokenMints.includes(mint),
  );
  const migratedAt = migrated?.timestamp ?? null;
  usePart(fees);
  useTitle(token.data?.ticker);
  const record = fees.data?.claims.find(({ tokenMint }) => tokenMint === mint);

  const run = async (act: () => Promise<unknown>) => {
    await work.run(act);
    setTrades((count) => count + 1);
  };

  return (
    <>
      <a class="back" href={hrefs.tokens}>
        ← Tokens
      </a>
      <Ready of={token} what="the token">
        {({ ticker, tokenName, imageUrl, deployedAt }) => (
          <>
            <TokenHead
              {...{ ticker, seed: mint, url: imageUrl, size: 72, name: tokenName }}
              badge={record?.isMigrated && <Badge tone="good">migrated</Badge>}
            >
              <a class="button" href={hrefs.shared(mint)}>
                Public page
              </a>
            </TokenHead>
            <Share path={hrefs.shared(mint)} ticker={ticker} />
            {error !== null && <Problem error={error} />}
            <Earnings
              records={record ? [record] : null}
              isBusy={isBusy}
              yes="Claim"
              onClaim={() => record && void run(() => claimTogether(session, [record]))}
            />
            <div class="columns">
              <div>
                <Chart of={chart} launchedAt={deployedAt} migratedAt={migratedAt} />
                <Timeline of={history} mint={mint} />
              </div>
              <div>
                {isSandbox && (
                  <Market
                    mint={mint}
                    isMigrated={record?.isMigrated === true}
                    {...{ isBusy, run }}
                  />
                )}
                {market && (
                  <Card title="Bonding curve">
                    <CurveProgress {...{ market, migratedAt }} liquidityPool={null} />
                  </Card>
                )}
                <HandOver
                  mint={mint}
                  ticker={ticker}
                  onDone={() => setTrades((count) => count + 1)}
                />
              </div>
            </div>
          </>
        )}
      </Ready>
    </>
  );
}

function Market(props: {
  readonly mint: string;
  readonly isMigrated: boolean;
  readonly isBusy: boolean;
  readonly run: (work: () => Promise<unknown>) => Promise<void>;
}) {
  const { mint, isMigrated, isBusy, run } = props;
  const { dev } = useSession().client;
  const act = (name: string, work: () => Promise<unknown>, isOff = false) => (
    <Button disabled={isBusy || isOff} onClick={() => void run(work)}>
      {name}
    </Button>
  );
  return (
    <Card title="Sandbox market">
      <div class="line">
        {act("Buy for 1 SOL", () => dev.trade({ tokenMint: mint, side: "buy", sol: 1 }))}
        {act("Sell for 0.5 SOL", () => dev.trade({ tokenMint: mint, side: "sell", sol: 0.5 }))}
        {act("Graduate", () => dev.graduate({ tokenMint: mint }), isMigrated)}
        {act("Get 1 SOL", () => dev.airdrop({ sol: 1 }))}
      </div>
    </Card>
  );
}
