import type { TokenFacts as Facts } from "@tokenctl/shared/page-facts";
import { pageFacts } from "../data/facts.ts";
import { hrefs } from "../data/hrefs.ts";
import { type Network, network } from "../data/network.ts";
import { useShared } from "../data/shared.ts";
import { Code } from "../parts/code.tsx";
import { Copy, Outside, SolNumber } from "../parts/format.tsx";
import { Changes, Chart, CurveProgress, useChart } from "../parts/market.tsx";
import { Proofs, useProof, Verdict } from "../parts/proofs.tsx";
import { Share } from "../parts/share.tsx";
import { TokenCard, Worth } from "../parts/token-card.tsx";
import { TokenFacts } from "../parts/token-facts.tsx";
import { TokenList } from "../parts/token-list.tsx";
import { Badge, Card, Nowhere } from "../parts/ui.tsx";

/** A token's public page. It answers a buyer's most urgent questions first. */
export function SharedToken({ mint }: { readonly mint: string }) {
  const facts = pageFacts.token;
  if (facts) return <Shown facts={facts} />;
  return (
    <Nowhere title="This service has launched no such token">
      <p>
        Check the address: it ends with the mint of a token. <code>{mint}</code> is none.
      </p>
    </Nowhere>
  );
}

function Shown({ facts }: { readonly facts: Facts }) {
  const { token, about, others, migratedAt } = facts;
  const mint = token.tokenMint;
  const { symbol, name: tokenName, description, image } = about;
  const chart = useChart(mint);
  const name = useShared(network);
  const checked = useProof(mint);
  const market = chart.read.data?.market ?? facts.market;
  return (
    <>
      <TokenCard
        symbol={symbol}
        name={tokenName}
        image={image}
        seed={mint}
        description={description}
        links={about}
        heading={
          <h1 class="line">
            {symbol} {market?.isMigrated && <Badge tone="good">graduated</Badge>}
          </h1>
        }
        facts={
          <>
            <Worth market={market} change={facts.change} />
            {market && (
              <CurveProgress
                {...{ market, migratedAt }}
                liquidityPool={checked.data?.proof.liquidityPoolAddress ?? null}
              />
            )}
            <Verdict checked={checked} />
            {token.warnings?.map((text) => (
              <p class="caution warn" key={text}>
                {text}.
              </p>
            ))}
          </>
        }
      >
        <div class="mint">
          <span class="label">Mint</span>
          <code>{mint}</code>
          <Copy text={mint} name="Copy mint" />
        </div>
        <Share path={hrefs.shared(mint)} ticker={symbol} />
      </TokenCard>
      {name === "mainnet-beta" && (
        // Stays visible while the page scrolls.
        <div class="trade">
          <span>
            <strong>{symbol}</strong> {market && <SolNumber value={market.priceSOL} />}
          </span>
          <Outside kind="button primary" href={`https://jup.ag/tokens/${mint}`}>
            Trade on Jupiter
          </Outside>
        </div>
      )}
      <div class="columns">
        <div>
          <Chart of={chart} launchedAt={token.deployedAt} migratedAt={migratedAt} />
          {others.length > 0 && (
            <Card title="The creator's other tokens">
              <TokenList tokens={others} />
            </Card>
          )}
          <Changes of={chart} launchedAt={token.deployedAt} />
        </div>
        <div>
          {name !== null && name !== "mainnet-beta" && <Trade mint={mint} network={name} />}
          {token.config !== null && <Proofs mint={mint} config={token.config} checked={checked} />}
          <TokenFacts token={token} earnedSOL={market?.creatorFeesSOL ?? null} />
        </div>
      </div>
    </>
  );
}

/** Shows how to trade on a network that no exchange's page supports. */
function Trade(props: { readonly mint: string; readonly network: Network }) {
  return (
    <Card title="Trade">
      {props.network === "sandbox" ? (
        <>
          <p class="soft">This is a sandbox: its agent trades with free SOL.</p>
          <Code text={`tokenctl dev trade ${props.mint} --sol 1`} name="Copy command" />
        </>
      ) : (
        <p class="soft">
          Any app that trades in Meteora's pools finds the token by its mint. Check the mint: a
          ticker can be imitated.
        </p>
      )}
    </Card>
  );
}
