import type { AgentEvent, LaunchRecord, PaidClaim, TokenctlClient } from "@tokenctl/sdk";
import { CANCELLED } from "@tokenctl/shared/words";
import { sum } from "../data/earnings.ts";
import { useLoad } from "../data/load.ts";
import { useNews } from "../data/news.ts";
import { hrefs } from "../data/page.ts";
import { useSession } from "../data/session.ts";
import { Clock, dayOf, Sol, Transaction } from "../parts/format.tsx";
import { List } from "../parts/list.tsx";
import { Ready } from "../parts/states.tsx";
import { Badge, Dot, Empty, Item } from "../parts/ui.tsx";
import { eventWords, tickersOf, type Words, waitingWords } from "../parts/words.ts";

/** One event; the effects of one transaction are one entry. */
interface Entry extends Words {
  readonly key: string;
  readonly at: string;
  readonly kind: "Launches" | "Payouts" | "Other";
  readonly href: string;
  readonly hash?: string | null;
  readonly lamports?: bigint;
  readonly launch?: LaunchRecord;
}

const FILTERS = {
  All: () => true,
  Launches: ({ kind }: Entry) => kind === "Launches",
  Payouts: ({ kind }: Entry) => kind === "Payouts",
  Other: ({ kind }: Entry) => kind === "Other",
} as const;

/** Shows what has happened, by day, newest first. */
export function Activity() {
  const { client } = useSession();
  const read = useLoad(
    async (signal) => {
      const [events, { claims }, { launches }] = await Promise.all([
        allEvents(client, signal),
        client.claimHistoryPage({ signal }),
        client.launches({ signal }),
      ]);
      return entriesOf(events, claims, launches);
    },
    [client, useNews()],
  );
  return (
    <>
      <h1>Activity</h1>
      <Ready of={read} what="what happened" lines={6}>
        {(entries) => (
          <List
            title="Timeline"
            items={entries}
            textOf={({ text, launch }) => `${text} ${launch?.tokenName ?? ""}`}
            filters={FILTERS}
            groupOf={({ at }) => dayOf(new Date(at))}
            empty={
              <Empty title="Nothing has happened yet">
                <p>Launches, payouts and what you are notified of appear here.</p>
              </Empty>
            }
          >
            {(entry) => <Row {...entry} />}
          </List>
        )}
      </Ready>
    </>
  );
}

const PAGE = 1_000;

/** Returns all events, oldest first. */
async function allEvents(client: TokenctlClient, signal: AbortSignal): Promise<AgentEvent[]> {
  const all: AgentEvent[] = [];
  for (;;) {
    const { events } = await client.eventList({ after: all.at(-1)?.id ?? 0, limit: PAGE, signal });
    all.push(...events);
    if (events.length < PAGE) return all;
  }
}

/** Merges launches, payouts and those events that neither list shows, newest first. */
function entriesOf(
  events: readonly AgentEvent[],
  claims: readonly PaidClaim[],
  launches: readonly LaunchRecord[],
): readonly Entry[] {
  const payouts = Map.groupBy(claims, ({ transactionHash }) => transactionHash);
  const entries = [
    ...launches.map((launch): Entry => {
      const { eventId, createdAt, processedAt, tokenMint } = launch;
      const href = tokenMint === null ? hrefs.status(eventId) : hrefs.token(tokenMint);
      const of = { key: eventId, at: processedAt ?? createdAt, href, launch };
      return { ...of, kind: "Launches", ...launchWords(launch) };
    }),
    ...[...payouts].map(([hash, [first, ...others]]): Entry => {
      const all = first ? [first, ...others] : others;
      return {
        key: hash,
        at: first?.claimedAt ?? "",
        kind: "Payouts",
        text: `Fees of ${tickersOf(first?.ticker ?? "", others.length)} paid out`,
        icon: "check",
        tone: "good",
        href: hrefs.token(first?.tokenMint ?? ""),
        hash,
        lamports: sum(all.map(({ claimedLamports }) => BigInt(claimedLamports))),
      };
    }),
    ...events
      .filter(({ type }) => !type.startsWith("launch.") && type !== "claim.confirmed")
      .map((event): Entry => {
        const { tokenMint, eventId, transactionHash } = event.data;
        const href = tokenMint === null ? hrefs.status(eventId) : hrefs.token(tokenMint);
        const of = { key: String(event.id), at: event.timestamp, href };
        return { ...of, kind: "Other", hash: transactionHash, ...eventWords(event) };
      }),
  ];
  return entries.sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

function launchWords({ ticker, status, error }: LaunchRecord): Words {
  if (status === "success") return { text: `${ticker} is on chain`, icon: "check", tone: "good" };
  if (status === "pending") return { text: `Launch of ${ticker}`, icon: "clock", tone: "warn" };
  const tone = error === CANCELLED ? "plain" : "bad";
  return { text: `${ticker} was not launched`, icon: "cross", tone };
}

function Row({ text, icon, tone, at, href, hash, lamports, launch }: Entry) {
  const detail = launch?.status === "pending" ? waitingWords(launch) : launch?.error;
  return (
    <Item
      lead={<Dot icon={icon} tone={tone} />}
      title={
        <>
          <a href={href}>{text}</a>
          {launch?.status === "pending" && <Badge tone="warn">pending</Badge>}
        </>
      }
      sub={
        <>
          <Clock iso={at} isDated={false} />
          {detail && ` · ${detail}`}
          {hash && (
            <>
              {" · "}
              <Transaction hash={hash} />
            </>
          )}
        </>
      }
      end={lamports !== undefined && <Sol lamports={lamports} />}
    />
  );
}
