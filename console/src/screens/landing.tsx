import { ConnectionError, type Market } from "@tokenctl/sdk";
import { useLoad } from "../data/load.ts";
import { useMarkets, useRounds } from "../data/market.ts";
import { anyone, type Network, useServicePays } from "../data/network.ts";
import type { Session } from "../data/session.ts";
import { Code } from "../parts/code.tsx";
import { Time } from "../parts/format.tsx";
import { MarketLine } from "../parts/market.tsx";
import { TokenImage } from "../parts/token-image.tsx";
import { Card, Skeleton, Stat } from "../parts/ui.tsx";
import { hrefs } from "../router.ts";
import { Connect } from "./connect.tsx";

/** What this service does, and the way in: for people who have not signed in. */
export function Landing(props: {
  readonly network: Network | null;
  readonly onSession: (session: Session) => void;
}) {
  const servicePays = useServicePays();
  const latest = useLoad(readLatest, [useRounds()]);
  const tokens = latest.data ?? [];
  const markets = useMarkets(tokens.map(({ tokenMint }) => tokenMint));
  return (
    <>
      <div class="landing">
        <div class="pitch">
          <h1>Your agent launches the token. Every trade pays your agent.</h1>
          <p class="soft">
            An agent signs in with its wallet and asks for a token. This service puts it on a
            bonding curve on Solana{servicePays && " and pays for the launch"}. The creator's fees
            of each trade wait on chain until the agent claims them with its own signature: the
            service can neither take nor redirect them.
          </p>
          <Terms
            mint={tokens[0]?.tokenMint}
            isKnown={latest.data !== null || latest.error !== null}
          />
        </div>
        <Connect {...props} />
      </div>
      {latest.data === null && latest.error === null && (
        <Card title="Latest tokens">
          <Skeleton what="the latest tokens" lines={4} />
        </Card>
      )}
      {tokens.length > 0 && (
        <Card title="Latest tokens">
          <ul class="tiles">
            {tokens.map((token) => (
              <Tile key={token.tokenMint} token={token} market={markets.get(token.tokenMint)} />
            ))}
          </ul>
        </Card>
      )}
      <Card title="For your agent">
        <div class="ways">
          <Way name="SDK" code={SDK} />
          <Way name="Command line" code={CLI} />
          <Way name="MCP, for a model" code={MCP} />
        </div>
        <p class="soft">
          Models learn the rest from <a href="/skill.md">skill.md</a>, and people from{" "}
          <a href="/openapi">the API</a>.
        </p>
      </Card>
    </>
  );
}

interface LatestToken {
  readonly tokenMint: string;
  readonly ticker: string;
  readonly tokenName: string;
  readonly imageUrl: string | null;
  readonly deployedAt: string;
}

async function readLatest(signal: AbortSignal): Promise<readonly LatestToken[]> {
  const answer = await fetch("/t/latest", { signal }).catch((cause) => {
    throw new ConnectionError(location.origin, cause);
  });
  if (!answer.ok) return [];
  return ((await answer.json()) as { tokens: readonly LatestToken[] }).tokens;
}

/** What a launch costs and who earns what: as the latest token has it on chain. */
function Terms(props: {
  readonly mint: string | undefined;
  /** Whether the latest token has been read. */
  readonly isKnown: boolean;
}) {
  const { mint, isKnown } = props;
  const origin = useLoad(
    async (signal) => (mint === undefined ? null : anyone.publicToken(mint, { signal })),
    [mint],
  );
  const curve = origin.data?.fees?.bondingCurve;
  // Its place is kept while it is read.
  const isComing = mint !== undefined && origin.data === null && origin.error === null;
  if (!curve && isKnown && !isComing) return null;
  return (
    <div class="beside">
      <Stat label="Fee on each trade">{curve ? `${curve.startBps / 100} %` : "…"}</Stat>
      <Stat label="Creator's share, after the protocol's cut">
        {curve ? `${curve.creatorSharePercent} %` : "…"}
      </Stat>
    </div>
  );
}

function Tile(props: { readonly token: LatestToken; readonly market: Market | undefined }) {
  const { token, market } = props;
  const { tokenMint, ticker, tokenName, imageUrl, deployedAt } = token;
  return (
    <li>
      <a class="tile" href={hrefs.shared(tokenMint)}>
        <TokenImage ticker={ticker} seed={tokenMint} url={imageUrl} size={128} />
        <strong class="clip">{ticker}</strong>
        <span class="clip soft" dir="auto" title={tokenName}>
          {tokenName}
        </span>
        {market && <MarketLine market={market} />}
        <span class="sub">
          <Time iso={deployedAt} />
        </span>
      </a>
    </li>
  );
}

const SDK = `const client = new TokenctlClient({ apiUrl: "${location.origin}", signer });
const { eventId } = await client.launch({ name: "My token", ticker: "MINE" });
await client.waitForLaunch(eventId);`;

const CLI = `export TOKENCTL_API_URL=${location.origin}
tokenctl launch --name "My token" --ticker MINE
tokenctl claim --all`;

const MCP = `{ "mcpServers": { "tokens": {
  "command": "tokenctl",
  "args": ["mcp", "--api-url", "${location.origin}"] } } }`;

function Way({ name, code }: { readonly name: string; readonly code: string }) {
  return (
    <div class="way">
      <h3>{name}</h3>
      <Code text={code} name={`Copy for ${name}`} />
    </div>
  );
}
