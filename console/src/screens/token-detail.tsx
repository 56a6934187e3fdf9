import type { ClaimRecord } from "@tokenctl/sdk";
import { formatSol } from "@tokenctl/shared/sol";
import { useLoad } from "../data/load.ts";
import { useNews } from "../data/news.ts";
import { hrefs } from "../data/page.ts";
import { useSession } from "../data/session.ts";
import { approve, claimingOf, payoutAddress } from "../data/signing.ts";
import { Earnings } from "../parts/earnings.tsx";
import { FieldForm, useWork } from "../parts/field.tsx";
import { notice } from "../parts/frame.tsx";
import { Problem, Ready, usePart } from "../parts/states.tsx";
import { TokenCard } from "../parts/token.tsx";
import { Badge, Card } from "../parts/ui.tsx";
import { useTitle } from "../router.ts";

export function TokenDetail({ mint }: { mint: string }) {
  const session = useSession();
  const { client } = session;
  const news = useNews();
  const token = useLoad((signal) => client.token(mint, { signal }), [client, mint, news]);
  const fees = useLoad((signal) => client.claims({ signal, received: true }), [client, news]);
  const { isBusy, error, run } = useWork();
  usePart(fees);
  useTitle(token.data?.ticker);
  const record = fees.data?.claims.find(({ tokenMint }) => tokenMint === mint);
  const claim = async (claimed: ClaimRecord) => {
    await client.claim(mint, claimingOf(session, [claimed])).finally(fees.reload);
  };

  return (
    <>
      <a class="back" href={hrefs.tokens}>
        ← Tokens
      </a>
      <Ready of={token} what="the token">
        {({ ticker, tokenName, imageUrl }) => (
          <>
            <TokenCard
              about={{ symbol: ticker, name: tokenName, image: imageUrl, description: "" }}
              seed={mint}
              heading={
                <h1 class="line">
                  {ticker} {record?.isMigrated && <Badge tone="good">migrated</Badge>}
                </h1>
              }
            >
              <a href={hrefs.shared(mint)}>Public page</a>
            </TokenCard>
            {error !== null && <Problem error={error} />}
            <Earnings
              records={record ? [record] : null}
              isBusy={isBusy}
              yes="Claim"
              onClaim={() => record && void run(() => claim(record))}
            />
            <HandOver mint={mint} ticker={ticker} onDone={fees.reload} />
          </>
        )}
      </Ready>
    </>
  );
}

function HandOver(props: {
  readonly mint: string;
  readonly ticker: string;
  readonly onDone: () => Promise<void>;
}) {
  const { mint, ticker, onDone } = props;
  const session = useSession();
  const work = useWork();
  const handOver = async (to: string) => {
    const claimTo = payoutAddress(session.address);
    await session.client.handOver(mint, {
      to,
      claimTo,
      approve({ networkFeeLamports, rentLamports }) {
        const cost = formatSol(networkFeeLamports + rentLamports);
        const text = `The fees that it earns from now on go to ${to} for good: you cannot take this back. What waits for you is claimed first${claimTo ? `, to ${claimTo}` : ""}. It costs at most ${cost} SOL.`;
        const title = `Hand ${ticker} over?`;
        return approve(session, { kind: "confirm", title, text, yes: "Hand over" });
      },
    });
    notice(`${ticker} is handed over`);
  };
  return (
    <Card title="Hand over">
      <p class="soft">Another wallet gets the fees that this token earns from then on.</p>
      <FieldForm
        name="heir"
        label="Address of the other wallet"
        work={work}
        yes="Hand over …"
        onSubmit={(to) => handOver(to).finally(onDone)}
      />
    </Card>
  );
}
