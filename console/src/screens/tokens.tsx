import type { ClaimRecord, Market, Token } from "@tokenctl/sdk";
import { useState } from "preact/hooks";
import { claimableOf, claimedOf, sum } from "../data/earnings.ts";
import { useLoad } from "../data/load.ts";
import { useMarkets } from "../data/market.ts";
import { useNews } from "../data/news.ts";
import { hrefs } from "../data/page.ts";
import { useSession } from "../data/session.ts";
import { claimAll, Declined } from "../data/signing.ts";
import { Earnings, EarningsBars } from "../parts/earnings.tsx";
import { useWork } from "../parts/field.tsx";
import { Name, Sol, SolNumber } from "../parts/format.tsx";
import { List } from "../parts/list.tsx";
import { NeedsYou } from "../parts/needs-you.tsx";
import { inWords, Problem, Ready, usePart } from "../parts/states.tsx";
import { TokenImage } from "../parts/token.tsx";
import { Badge, Empty, Item } from "../parts/ui.tsx";

export function Tokens() {
  const session = useSession();
  const { client } = session;
  const news = useNews();
  const tokens = useLoad((signal) => client.tokens({ signal, received: true }), [client, news]);
  const fees = useLoad((signal) => client.claims({ signal, received: true }), [client, news]);
  const { isBusy, error, run } = useWork();
  const [failed, setFailed] = useState<Awaited<ReturnType<typeof claimAll>>>([]);
  usePart(tokens);
  usePart(fees);
  const records = new Map(fees.data?.claims.map((record) => [record.tokenMint, record]));
  const markets = useMarkets((tokens.data?.tokens ?? []).map(({ tokenMint }) => tokenMint));

  const amountsOf = (mint: string): Amounts => {
    const record = records.get(mint);
    const claimable = record ? claimableOf(record) : 0n;
    return [claimable, claimable + (record ? claimedOf(record) : 0n)];
  };
  const reload = () => Promise.all([fees.reload(), tokens.reload()]);
  const claim = async () => {
    setFailed([]);
    setFailed(await claimAll(session, [...records.values()]));
    await reload();
  };

  const claimableInAll = sum([...records.values()].map(claimableOf));
  const waiting = <NeedsYou claimable={claimableInAll} onAccepted={() => void reload()} />;
  if (tokens.data?.tokens.length === 0) {
    return (
      <>
        {waiting}
        <section class="card">
          <h1 class="for-readers">No tokens yet</h1>
          <Empty title="No tokens yet">
            <p>
              {session.isSandbox
                ? "Launch one here: on the sandbox it takes a second and costs nothing."
                : "Launch your first one here, or let your agent do it with the SDK."}
            </p>
            <a class="button primary" href={hrefs.launch}>
              Launch a token
            </a>
          </Empty>
        </section>
      </>
    );
  }
  return (
    <>
      <h1 class="for-readers">Tokens</h1>
      {waiting}
      <AllEarnings
        records={fees.data && [...records.values()]}
        isClaiming={isBusy}
        onClaimAll={() => void run(claim)}
      />
      {error !== null && <Problem error={error} />}
      {failed.map(({ tokenMint, ticker, error }) => (
        <p class="problem" role="alert" key={tokenMint}>
          {ticker}: {inWords(error.cause instanceof Declined ? error.cause : error).text}
        </p>
      ))}
      {fees.data?.unreadable?.map(({ tokenMint, ticker, error }) => (
        <p class="banner" key={tokenMint}>
          The fees of {ticker} cannot be read: {error}
        </p>
      ))}
      {tokens.data !== null && fees.data === null && (
        <Ready of={fees} what="your fees" lines={1}>
          {() => null}
        </Ready>
      )}
      <Ready of={tokens} what="your tokens">
        {(read) => (
          <List
            title="Your tokens"
            actions={
              <a class="button" href={hrefs.launch}>
                Launch a token
              </a>
            }
            items={read.tokens}
            textOf={({ ticker, tokenName, tokenMint }) => `${ticker} ${tokenName} ${tokenMint}`}
            columns={{
              Token: ({ ticker }) => ticker,
              [MARKET_CAP]: ({ tokenMint }) => markets.get(tokenMint)?.marketCapSOL ?? -1,
              [TO_CLAIM]: ({ tokenMint }) => Number(amountsOf(tokenMint)[0]),
              [EARNED]: ({ tokenMint }) => Number(amountsOf(tokenMint)[1]),
            }}
            total={(shown) => {
              const amounts = shown.map(({ tokenMint }) => amountsOf(tokenMint));
              const total = (of: 0 | 1) => (
                <Sol isAligned lamports={sum(amounts.map((a) => a[of]))} />
              );
              return (
                <ul class="total">
                  <Item
                    title={`${shown.length} tokens`}
                    cells={[
                      [MARKET_CAP, null],
                      [TO_CLAIM, total(0)],
                      [EARNED, total(1)],
                    ]}
                  />
                </ul>
              );
            }}
            empty={null}
          >
            {(token) => (
              <Row
                key={token.tokenMint}
                token={token}
                record={records.get(token.tokenMint)}
                market={markets.get(token.tokenMint)}
              />
            )}
          </List>
        )}
      </Ready>
    </>
  );
}

const [MARKET_CAP, TO_CLAIM, EARNED] = ["Market cap", "To claim", "Earned"] as const;

type Amounts = readonly [claimable: bigint, earned: bigint];

function AllEarnings(props: {
  readonly records: readonly ClaimRecord[] | null;
  readonly isClaiming: boolean;
  readonly onClaimAll: () => void;
}) {
  const { records, isClaiming, onClaimAll } = props;
  const { client } = useSession();
  const history = useLoad((signal) => client.claimHistoryPage({ signal }), [client, useNews()]);
  return (
    <Earnings records={records} isBusy={isClaiming} yes="Claim all" onClaim={onClaimAll}>
      <Ready of={history} what="what was paid out per day">
        {({ claims }) => <EarningsBars claims={claims} />}
      </Ready>
    </Earnings>
  );
}

interface RowProps {
  readonly token: Token;
  readonly record: ClaimRecord | undefined;
  readonly market: Market | undefined;
}

function Row({ token, record, market }: RowProps) {
  const { tokenMint, ticker, tokenName, imageUrl } = token;
  const claimable = record ? claimableOf(record) : 0n;
  return (
    <Item
      lead={<TokenImage ticker={ticker} seed={tokenMint} url={imageUrl} />}
      title={
        <>
          <a class="clip" href={hrefs.token(tokenMint)}>
            {ticker}
          </a>
          {record?.isMigrated && <Badge tone="good">migrated</Badge>}
        </>
      }
      sub={
        <>
          <Name text={tokenName} />
          {record?.creatorChanged && <div>Its fees belong to another wallet now</div>}
        </>
      }
      cells={[
        [MARKET_CAP, market && <SolNumber value={market.marketCapSOL} />],
        [TO_CLAIM, record ? <Sol isAligned lamports={claimable} /> : "…"],
        [EARNED, record && <Sol isAligned lamports={claimable + claimedOf(record)} />],
      ]}
    />
  );
}
