import type { LaunchRecord, PaidClaim } from "@tokenctl/sdk";
import { CANCELLED } from "@tokenctl/shared/words";
import { sum } from "../data/earnings.ts";
import { useLoad } from "../data/load.ts";
import { useNews } from "../data/news.ts";
import { hrefs } from "../data/page.ts";
import { useSession } from "../data/session.ts";
import { Clock, dayOf, Sol, Transaction } from "../parts/format.tsx";
import { List } from "../parts/list.tsx";
import { Ready } from "../parts/states.tsx";
import { Badge, Dot, Empty, type IconName, Item, type Tone } from "../parts/ui.tsx";
import { tickersOf, waitingWords } from "../parts/words.ts";

interface Entry {
  readonly key: string;
  readonly at: string;
  readonly text: string;
  readonly icon: IconName;
  readonly tone: Tone;
  readonly href: string;
  readonly hash?: string;
  readonly lamports?: bigint;
  readonly launch?: LaunchRecord;
}

const FILTERS = {
  All: () => true,
  Launches: ({ launch }: Entry) => launch !== undefined,
  Payouts: ({ hash }: Entry) => hash !== undefined,
} as const;

export function Activity() {
  const { client } = useSession();
  const read = useLoad(
    async (signal) => {
      const [{ claims }, { launches }] = await Promise.all([
        client.claimHistoryPage({ signal }),
        client.launches({ signal }),
      ]);
      return entriesOf(claims, launches);
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
                <p>Launches and payouts appear here.</p>
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

function entriesOf(
  claims: readonly PaidClaim[],
  launches: readonly LaunchRecord[],
): readonly Entry[] {
  const payouts = Map.groupBy(claims, ({ transactionHash }) => transactionHash);
  const entries = [
    ...launches.map((launch): Entry => {
      const { eventId, createdAt, processedAt, tokenMint } = launch;
      const href = tokenMint === null ? hrefs.status(eventId) : hrefs.token(tokenMint);
      const at = processedAt ?? createdAt;
      return { key: eventId, at, href, launch, ...launchWords(launch) };
    }),
    ...[...payouts].map(([hash, [first, ...others]]): Entry => {
      const all = first ? [first, ...others] : others;
      return {
        key: hash,
        at: first?.claimedAt ?? "",
        text: `Fees of ${tickersOf(first?.ticker ?? "", others.length)} paid out`,
        icon: "check",
        tone: "good",
        href: hrefs.token(first?.tokenMint ?? ""),
        hash,
        lamports: sum(all.map(({ claimedLamports }) => BigInt(claimedLamports))),
      };
    }),
  ];
  return entries.sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

function launchWords({
  ticker,
  status,
  error,
}: LaunchRecord): Pick<Entry, "text" | "icon" | "tone"> {
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
          {hash && " · "}
          {hash && <Transaction hash={hash} />}
        </>
      }
      end={lamports !== undefined && <Sol lamports={lamports} />}
    />
  );
}
