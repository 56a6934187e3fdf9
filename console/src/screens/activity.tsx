import type { AgentEvent, LaunchRecord, TokenctlClient } from "@tokenctl/sdk";
import { useRef, useState } from "preact/hooks";
import { hrefs } from "../data/hrefs.ts";
import { useLoad } from "../data/load.ts";
import { useNews } from "../data/news.ts";
import { useSession } from "../data/session.ts";
import { confirmCancel } from "../parts/confirmation.tsx";
import { eventWords } from "../parts/event-text.ts";
import { Time } from "../parts/format.tsx";
import { waitingText } from "../parts/launch-state.ts";
import { Payouts } from "../parts/payouts.tsx";
import { Problem, Ready } from "../parts/states.tsx";
import { TokenImage } from "../parts/token-image.tsx";
import { Badge, Button, Card, Dot, Empty, Item, type Tone } from "../parts/ui.tsx";

/** What has happened, what was paid, and the launches. */
export function Activity() {
  return (
    <>
      <h1>Activity</h1>
      <Events />
      <Payouts />
      <Launches />
    </>
  );
}

/** Events that are shown at first. */
const SHOWN = 8;
const PAGE = 1_000;

/** The agent's events in words, newest first. */
function Events() {
  const { client } = useSession();
  const news = useNews();
  const known = useRef<readonly AgentEvent[]>([]);
  const [isWhole, setIsWhole] = useState(false);
  const events = useLoad(
    async (signal) => {
      known.current = await readOn(client, known.current, signal);
      return known.current.toReversed();
    },
    [client, news],
  );
  return (
    <Card title="What happened">
      <Ready of={events} what="your events">
        {(all) =>
          all.length === 0 ? (
            <Empty title="Nothing has happened yet">
              <p>Launches, claims and thresholds appear here as they happen.</p>
            </Empty>
          ) : (
            <>
              <ul>
                {all.slice(0, isWhole ? all.length : SHOWN).map((event) => (
                  <EventItem key={event.id} {...event} />
                ))}
              </ul>
              {!isWhole && all.length > SHOWN && (
                <Button onClick={() => setIsWhole(true)}>Show all {all.length}</Button>
              )}
            </>
          )
        }
      </Ready>
    </Card>
  );
}

/** @returns the events so far and those after them, oldest first */
async function readOn(
  client: TokenctlClient,
  known: readonly AgentEvent[],
  signal: AbortSignal,
): Promise<readonly AgentEvent[]> {
  const after = known.at(-1)?.id ?? 0;
  const { events } = await client.eventList({ after, limit: PAGE, signal });
  const all = [...known, ...events];
  return events.length < PAGE ? all : readOn(client, all, signal);
}

function EventItem(event: AgentEvent) {
  const { text, icon, tone } = eventWords(event);
  const { tokenMint, eventId } = event.data;
  const href = tokenMint === null ? hrefs.status(eventId) : hrefs.token(tokenMint);
  return (
    <Item
      lead={<Dot icon={icon} tone={tone} />}
      title={<a href={href}>{text}</a>}
      sub={<Time iso={event.timestamp} />}
    />
  );
}

function Launches() {
  const { client } = useSession();
  const news = useNews();
  const [changes, setChanges] = useState(0);
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  // Its buttons rest until the list is read again, so that a double click does nothing twice.
  const [acted, setActed] = useState<LaunchRecord | null>(null);
  const launches = useLoad((signal) => client.launches({ signal }), [client, news, changes]);
  const act = async (launch: LaunchRecord, work: () => Promise<unknown>) => {
    setActed(launch);
    setIsBusy(true);
    setError(null);
    await work().catch(setError);
    setIsBusy(false);
    setChanges((count) => count + 1);
  };
  const tokens = useLoad((signal) => client.tokens({ signal }), [client, news]);
  const images = new Map(tokens.data?.tokens.map((token) => [token.tokenMint, token.imageUrl]));
  const cancel = async (launch: LaunchRecord) => {
    if (await confirmCancel(launch.ticker, launch.eventId))
      await act(launch, () => client.cancelLaunch(launch.eventId));
  };
  return (
    <Card title="Launches">
      {error !== null && <Problem error={error} />}
      <Ready of={launches} what="your launches">
        {(read) =>
          read.launches.length === 0 ? (
            <Empty title="No launches yet">
              <a class="button" href={hrefs.launch}>
                Launch a token
              </a>
            </Empty>
          ) : (
            <ul>
              {read.launches.map((launch) => (
                <LaunchItem
                  key={launch.eventId}
                  launch={launch}
                  imageUrl={images.get(launch.tokenMint ?? "")}
                  isDisabled={isBusy || acted === launch}
                  onCancel={() => void cancel(launch)}
                  onRetry={() => void act(launch, () => client.retryLaunch(launch.eventId))}
                />
              ))}
            </ul>
          )
        }
      </Ready>
    </Card>
  );
}

const STATES: Readonly<Record<LaunchRecord["status"], readonly [name: string, tone: Tone]>> = {
  success: ["on chain", "good"],
  pending: ["pending", "warn"],
  failed: ["not launched", "bad"],
  rate_limited: ["not launched", "bad"],
};

function LaunchItem(props: {
  readonly launch: LaunchRecord;
  readonly imageUrl: string | undefined;
  readonly isDisabled: boolean;
  readonly onCancel: () => void;
  readonly onRetry: () => void;
}) {
  const { launch, imageUrl, isDisabled, onCancel, onRetry } = props;
  const { ticker, status, tokenMint, eventId, createdAt, error } = launch;
  const [state, tone] = STATES[status];
  const detail = status === "pending" ? waitingText(launch) : error;
  return (
    <Item
      lead={<TokenImage ticker={ticker} seed={tokenMint ?? eventId} url={imageUrl} />}
      title={
        <>
          <a href={hrefs.status(eventId)}>{ticker}</a> <Badge tone={tone}>{state}</Badge>
        </>
      }
      sub={
        <>
          <Time iso={createdAt} />
          {detail && ` · ${detail}`}
        </>
      }
      action={
        status === "pending" ? (
          <Button disabled={isDisabled} aria-label={`Cancel ${ticker}`} onClick={onCancel}>
            Cancel …
          </Button>
        ) : (
          status !== "success" && (
            <Button disabled={isDisabled} aria-label={`Retry ${ticker}`} onClick={onRetry}>
              Retry
            </Button>
          )
        )
      }
    />
  );
}
