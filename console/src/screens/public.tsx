import type { PublicToken, TradeFee } from "@tokenctl/sdk";
import { feeInWords } from "@tokenctl/shared/fee-words";
import type { TokenFacts as Facts } from "@tokenctl/shared/page-facts";
import { network } from "../data/network.ts";
import { percent } from "../data/numbers.ts";
import { hrefs, pageFacts } from "../data/page.ts";
import { useShared } from "../data/shared.ts";
import { Address, Copy, Outside, SolNumber, Time, Transaction } from "../parts/format.tsx";
import { Chart, CurveProgress, toneOf, useChart } from "../parts/market.tsx";
import { Proofs, useProof, Verdict } from "../parts/proofs.tsx";
import { Share, TokenCard, TokenList } from "../parts/token.tsx";
import { Badge, Card, Nowhere, Rows, Stat } from "../parts/ui.tsx";

export function SharedToken({ mint }: { mint: string }) {
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

function Shown({ facts }: { facts: Facts }) {
  const { token, about, others, change, migratedAt } = facts;
  const mint = token.tokenMint;
  const { symbol } = about;
  const chart = useChart(mint);
  const name = useShared(network);
  const checked = useProof(mint);
  const market = chart.read.data?.market ?? facts.market;
  return (
    <>
      <TokenCard
        about={about}
        seed={mint}
        heading={
          <h1 class="line">
            {symbol} {market?.isMigrated && <Badge tone="good">graduated</Badge>}
          </h1>
        }
        facts={
          <>
            <div class="beside worth">
              <Stat label="Price">
                {market ? <SolNumber value={market.priceSOL} /> : "not read yet"}
              </Stat>
              <Stat label="Market cap">
                {market ? <SolNumber value={market.marketCapSOL} /> : "–"}
              </Stat>
              <Stat label="24 h">
                <span class={toneOf(change)}>{change === null ? "–" : percent(change)}</span>
              </Stat>
            </div>
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
        </div>
        <div>
          {token.config !== null && <Proofs mint={mint} config={token.config} checked={checked} />}
          <TokenFacts token={token} earnedSOL={market?.creatorFeesSOL ?? null} />
        </div>
      </div>
    </>
  );
}

export function AgentPage({ wallet }: { wallet: string }) {
  const agent = pageFacts.agent;
  if (!agent) {
    return (
      <Nowhere title="This wallet has launched no token here">
        <code>{wallet}</code>
      </Nowhere>
    );
  }
  const { tokens, since, earnedSOL } = agent;
  return (
    <>
      <h1>An agent and its tokens</h1>
      <Card>
        <div class="beside">
          <Stat label="Wallet">
            <Address value={agent.wallet} isLinked />
          </Stat>
          <Stat label="Tokens">{tokens.length}</Stat>
          <Stat label="Earned on bonding curves">
            <SolNumber value={earnedSOL} />
          </Stat>
          <Stat label="Since">
            <Time iso={since} />
          </Stat>
        </div>
      </Card>
      <Card title="Tokens">
        <TokenList tokens={tokens} />
      </Card>
    </>
  );
}

function TokenFacts(props: {
  readonly token: PublicToken;
  /** SOL that the creator has earned on the bonding curve; null if unknown. */
  readonly earnedSOL: number | null;
}) {
  const { token, earnedSOL } = props;
  const { poolAddress, creator, config, fees, launchTransaction, deployedAt } = token;
  return (
    <>
      <Card title="Creator">
        {earnedSOL !== null && (
          <Stat label="Earned on the bonding curve">
            <SolNumber value={earnedSOL} />
          </Stat>
        )}
        <Rows
          rows={[
            ["Launched by", <Address value={creator} isLinked />],
            ["All its tokens", <a href={hrefs.agent(creator)}>Profile</a>],
          ]}
        />
        {fees && (
          <ul class="facts">
            <Fee where="On the bonding curve" fee={fees.bondingCurve} />
            <Fee where="After migration" fee={fees.liquidityPool} />
          </ul>
        )}
        {!fees && <p class="soft">The fees of this token are not known to this service.</p>}
      </Card>
      <Card title="On chain">
        <Rows
          rows={[
            ["Pool", <Address value={poolAddress} isLinked />],
            ["Config", config !== null && <Address value={config} isLinked />],
            ["Launch", launchTransaction !== null && <Transaction hash={launchTransaction} />],
            ["Launched", <Time iso={deployedAt} />],
          ]}
        />
      </Card>
    </>
  );
}

const Fee = ({ where, fee }: { where: string; fee: TradeFee }) => (
  <li>
    <span class="label">{where}</span>
    <div>{`${feeInWords(fee)}; the creator gets ${fee.creatorSharePercent} % of it after the protocol's cut`}</div>
  </li>
);
