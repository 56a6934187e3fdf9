import type { LaunchRecord, Token } from "@tokenctl/sdk";
import { CANCELLED } from "@tokenctl/shared/words";
import { useLoad } from "../data/load.ts";
import { useNews } from "../data/news.ts";
import { hrefs } from "../data/page.ts";
import { useSession } from "../data/session.ts";
import { useWork } from "./field.tsx";
import { Address, Name, Sol, TimeLeft } from "./format.tsx";
import { notice } from "./frame.tsx";
import { usePart } from "./states.tsx";
import { TokenImage } from "./token.tsx";
import { Button, Card, Dot, Item } from "./ui.tsx";

/** Others' tokens that are shown: anyone can hand one over. */
const WAITING = 3;
/** Launches to check, and how long a failure shows: as long as its ticker is held by default. */
const LATEST = 20;
const FAILED_FOR_MS = 86_400_000;
/** Fees from which the page suggests a claim: below, network fees and rent may exceed them. */
const WORTH_LAMPORTS = 10_000_000n;

export function NeedsYou(props: { readonly claimable: bigint; readonly onAccepted: () => void }) {
  const { claimable, onAccepted } = props;
  const { client } = useSession();
  const news = useNews();
  const read = useLoad(
    async (signal) => {
      const [{ tokens }, { launches }] = await Promise.all([
        client.waitingTokens({ signal }),
        client.launches({ limit: LATEST, signal }),
      ]);
      return { tokens: tokens.slice(0, WAITING), launches: launches.filter(needsPerson) };
    },
    [client, news],
  );
  usePart(read);
  const { tokens = [], launches = [] } = read.data ?? {};
  const isWorth = claimable >= WORTH_LAMPORTS;
  if (tokens.length + launches.length === 0 && !isWorth) return null;
  return (
    <Card title="Needs you">
      <ul>
        {launches.map((launch) => (
          <Launch key={launch.eventId} launch={launch} />
        ))}
        {tokens.map((token) => (
          <Waiting
            key={token.tokenMint}
            token={token}
            onAccepted={() => {
              void read.reload();
              onAccepted();
            }}
          />
        ))}
        {isWorth && (
          <Item
            lead={<Dot icon="bell" tone="good" />}
            title="Fees wait for you"
            sub="Claim them below"
            end={<Sol lamports={claimable} />}
          />
        )}
      </ul>
      {tokens.length > 0 && (
        <p class="soft">
          Anyone can hand a token over, under any name: check who launched it. You get its fees
          either way.
        </p>
      )}
    </Card>
  );
}

const needsPerson = ({ status, waitingFor, processedAt, error }: LaunchRecord) =>
  waitingFor === "agent_signature" ||
  (status === "failed" &&
    error !== CANCELLED &&
    Date.now() - Date.parse(processedAt ?? "") < FAILED_FOR_MS);

function Launch({ launch: { ticker, eventId, error, signBy } }: { readonly launch: LaunchRecord }) {
  const isMine = signBy !== undefined;
  return (
    <Item
      lead={<Dot icon={isMine ? "clock" : "cross"} tone={isMine ? "warn" : "bad"} />}
      title={isMine ? `The launch of ${ticker} needs your signature` : `${ticker} was not launched`}
      sub={
        isMine ? (
          <>
            Ends by itself in <TimeLeft until={new Date(signBy)} />
          </>
        ) : (
          error
        )
      }
      action={
        <a class="button" href={hrefs.status(eventId)}>
          {isMine ? `Sign ${ticker} …` : `Try ${ticker} again …`}
        </a>
      }
    />
  );
}

function Waiting(props: { readonly token: Token; readonly onAccepted: () => void }) {
  const { token, onAccepted } = props;
  const { ticker, tokenName, tokenMint, launchedBy } = token;
  const { client } = useSession();
  const { isBusy, problem, run } = useWork();
  const accept = async () => {
    await client.acceptToken(tokenMint);
    notice(`${ticker} is among your tokens`);
    onAccepted();
  };
  return (
    <Item
      lead={<TokenImage ticker={ticker} seed={tokenMint} />}
      title={`${ticker} was handed over to you`}
      sub={
        <>
          <Name text={tokenName} />
          {launchedBy !== undefined && (
            <span>
              launched by <Address value={launchedBy} isLinked />
            </span>
          )}
          {problem !== undefined && (
            <span class="bad" role="alert">
              {problem}
            </span>
          )}
        </>
      }
      action={
        <Button isBusy={isBusy} aria-label={`Accept ${ticker}`} onClick={() => void run(accept)}>
          Accept
        </Button>
      }
    />
  );
}
