import { START_TITLE, type TokenPage } from "@tokenctl/shared/page-facts";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLoad, useQuiet } from "../data/load.ts";
import { useFollowed } from "../data/market.ts";
import { useServicePays } from "../data/network.ts";
import { API_URL, BASE, hrefs, pageFacts } from "../data/page.ts";
import { anyone } from "../data/read.ts";
import { currentSession, signInAsked, useShared } from "../data/shared.ts";
import { Code, SolNumber } from "../parts/format.tsx";
import { Ready } from "../parts/states.tsx";
import { TokenList } from "../parts/token.tsx";
import { Button, Card, Empty, Stat, Switch } from "../parts/ui.tsx";

export function Landing() {
  const servicePays = useServicePays();
  const { fees = null } = pageFacts.start ?? {};
  const [totals, setTotals] = useState(pageFacts.start?.totals ?? null);
  const curve = fees?.bondingCurve;
  return (
    <>
      <div class="landing">
        <h1>{START_TITLE}</h1>
        <p class="soft">
          The creator's fees of each trade wait on chain until the agent claims them with its own
          signature: the service can neither take nor redirect them.
        </p>
        <div class="line">
          {useShared(currentSession) ? (
            <a class="button primary" href={hrefs.tokens}>
              Your tokens
            </a>
          ) : (
            <Button kind="primary" onClick={() => signInAsked.set(true)}>
              Sign in
            </Button>
          )}
          {totals && (
            <a class="button" href="#tokens-list">
              See the tokens
            </a>
          )}
        </div>
        <ol class="numbered">
          <li>Your agent signs in with its wallet.</li>
          <li>It asks for a token{servicePays && "; this service pays for the launch"}.</li>
          <li>People trade it on a bonding curve on Solana, and the agent claims its fees.</li>
        </ol>
        <div class="beside">
          {totals && (
            <>
              <Stat label="Tokens">{totals.tokens.toLocaleString("en")}</Stat>
              <Stat label="Traded on curves">
                <SolNumber value={totals.tradedSOL} />
              </Stat>
              <Stat label="Earned by agents">
                <SolNumber value={totals.earnedSOL} />
              </Stat>
              <Stat label="Paid to agents">
                <SolNumber value={totals.paidSOL} />
              </Stat>
            </>
          )}
          {curve && (
            <>
              <Stat label="Fee on each trade">
                {curve.startBps / 100} %
                {curve.schedule && ` at first, then ${curve.endBps / 100} %`}
              </Stat>
              <Stat label="Creator's share, after the protocol's cut">
                {curve.creatorSharePercent} %
              </Stat>
            </>
          )}
        </div>
      </div>
      {totals && <Browser onTotals={setTotals} />}
      <p class="soft">
        Check any token yourself: <code>tokenctl verify &lt;mint&gt;</code> asks only the chain.
        Read what is charged (<a href={`${BASE.pathname}fees`}>fees</a>) and what can go wrong (
        <a href={`${BASE.pathname}risks`}>risks</a>).
      </p>
      <Card title="For your agent">
        <Ways />
        <p class="soft">
          Models learn the rest from <a href={`${BASE.pathname}skill.md`}>skill.md</a>, and people
          from <a href={`${BASE.pathname}openapi/json`}>the API</a>.
        </p>
      </Card>
    </>
  );
}

const ORDERS = { New: "new", Graduating: "graduating", Top: "top" } as const;

/** Milliseconds without a keystroke before the search starts. */
const QUIET_MS = 300;

function Browser(props: { readonly onTotals: (totals: TokenPage["totals"]) => void }) {
  const [by, setBy] = useState<keyof typeof ORDERS>("New");
  const [page, setPage] = useState(0);
  const [typed, setTyped] = useState("");
  const search = useQuiet(typed.trim(), QUIET_MS);
  const isFirst = useRef(true);
  const read = useFollowed(
    useLoad(
      async (signal) => {
        const known = isFirst.current ? pageFacts.start : undefined;
        isFirst.current = false;
        return known ?? anyone.list({ order: ORDERS[by], search, page }, { signal });
      },
      [by, search, page],
    ),
  );
  useEffect(() => {
    if (read.data) props.onTotals(read.data.totals);
  }, [read.data]);
  return (
    <Card
      title="Tokens"
      actions={
        <Switch
          label="Order"
          of={ORDERS}
          chosen={by}
          onChoose={(chosen) => {
            setBy(chosen);
            setPage(0);
          }}
        />
      }
    >
      <input
        id="tokens-list"
        type="search"
        aria-label="Search by ticker, name or mint"
        placeholder="Ticker, name or mint"
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setPage(0);
        }}
      />
      <Ready of={read} what="the tokens" lines={6}>
        {({ tokens, hasMore }) => (
          <>
            {tokens.length === 0 ? (
              <Empty title={search === "" ? "No tokens yet" : "No token is called that"}>
                <p>{search === "" ? "The first one appears here." : "Try its mint."}</p>
              </Empty>
            ) : (
              <TokenList tokens={tokens} />
            )}
            {(page > 0 || hasMore) && (
              <div class="line end">
                <Button disabled={page === 0} onClick={() => setPage(page - 1)}>
                  Previous
                </Button>
                <Button disabled={!hasMore} onClick={() => setPage(page + 1)}>
                  Next
                </Button>
              </div>
            )}
          </>
        )}
      </Ready>
    </Card>
  );
}

const WAYS = {
  MCP: `{ "mcpServers": { "tokens": {
  "command": "tokenctl",
  "args": ["mcp", "--api-url", "${API_URL}"] } } }`,
  SDK: `const client = new TokenctlClient({ apiUrl: "${API_URL}", signer });
const { eventId } = await client.launch({ name: "My token", ticker: "MINE" });
await client.waitForLaunch(eventId);`,
  "Command line": `export TOKENCTL_API_URL=${API_URL}
tokenctl launch --name "My token" --ticker MINE
tokenctl claim --all`,
} as const;

function Ways() {
  const [way, setWay] = useState<keyof typeof WAYS>("MCP");
  return (
    <>
      <Switch label="How your agent uses it" of={WAYS} chosen={way} onChoose={setWay} />
      <Code text={WAYS[way]} name={`Copy for ${way}`} />
    </>
  );
}
