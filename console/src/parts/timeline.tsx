import type { AgentEvent, LaunchRecord, PaidClaim, TokenctlClient } from "@tokenctl/sdk";
import { formatSol } from "@tokenctl/shared/sol";
import { CANCELLED } from "@tokenctl/shared/words";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { sum } from "../data/earnings.ts";
import { useLoad } from "../data/load.ts";
import { useNews } from "../data/news.ts";
import { hrefs } from "../data/page.ts";
import { useSession } from "../data/session.ts";
import { confirmCancel } from "../data/signing.ts";
import { useWork } from "./field.tsx";
import { Clock, dayName, Sol, Transaction } from "./format.tsx";
import { List } from "./list.tsx";
import { Problem, Ready } from "./states.tsx";
import { Badge, Button, Dot, Empty, Item } from "./ui.tsx";
import { eventWords, tickersOf, type Words, waitingWords } from "./words.ts";

/** One event; the effects of one transaction are one entry. */
interface Entry extends Words {
  readonly key: string;
  readonly at: string;
  readonly kind: "Launches" | "Payouts" | "Other";
  readonly href: string;
  readonly mints: readonly (string | null)[];
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

/** Reads the history of one token or of all. */
export function useHistory(mint?: string) {
  const { client } = useSession();
  const news = useNews();
  const known = useRef<readonly AgentEvent[]>([]);
  return useLoad(
    async (signal) => {
      const [events, { claims }, { launches }] = await Promise.all([
        readOn(client, known.current, signal),
        client.claimHistoryPage({ signal, ...(mint !== undefined && { token: mint }) }),
        client.launches({ signal }),
      ]);
      known.current = events;
      return { claims, events, entries: entriesOf(events, claims, launches) };
    },
    [client, mint, news],
  );
}

/** Shows the history of one token or of all, by day, newest first. */
export function Timeline({ of: read, mint }: { of: ReturnType<typeof useHistory>; mint?: string }) {
  const { client } = useSession();
  const { error, isBusy, run } = useWork();
  // The buttons are disabled until the next read, so that a double click acts only once.
  const act = (work: () => Promise<unknown>) => void run(() => work().finally(read.reload));
  const actionOf = ({ ticker, status, eventId }: LaunchRecord) => {
    if (status === "success") return null;
    const isPending = status === "pending";
    const cancel = async () =>
      (await confirmCancel(ticker)) && act(() => client.cancelLaunch(eventId));
    return (
      <Button
        disabled={isBusy}
        aria-label={`${isPending ? "Cancel" : "Retry"} ${ticker}`}
        onClick={() => (isPending ? void cancel() : act(() => client.retryLaunch(eventId)))}
      >
        {isPending ? "Cancel …" : "Retry"}
      </Button>
    );
  };
  return (
    <Ready of={read} what="what happened" lines={6}>
      {({ claims, entries }) => (
        <>
          {error !== null && <Problem error={error} />}
          <List
            title={mint === undefined ? "Timeline" : "What happened"}
            actions={
              claims.length > 0 && <Button onClick={() => download(claims)}>Download CSV</Button>
            }
            items={
              mint === undefined ? entries : entries.filter(({ mints }) => mints.includes(mint))
            }
            textOf={({ text, launch }) => `${text} ${launch?.tokenName ?? ""}`}
            filters={FILTERS}
            groupOf={({ at }) => dayName(new Date(at))}
            empty={
              <Empty title="Nothing has happened yet">
                <p>Launches, payouts and what you are notified of appear here.</p>
              </Empty>
            }
          >
            {(entry) => (
              <Row key={entry.key} entry={entry} action={entry.launch && actionOf(entry.launch)} />
            )}
          </List>
        </>
      )}
    </Ready>
  );
}

const PAGE = 1_000;

/** Returns the known events and those after them, oldest first. */
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
      const of = { key: eventId, at: processedAt ?? createdAt, href, mints: [tokenMint], launch };
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
        mints: all.map(({ tokenMint }) => tokenMint),
        hash,
        lamports: sum(all.map(({ claimedLamports }) => BigInt(claimedLamports))),
      };
    }),
    ...events
      .filter(({ type }) => !type.startsWith("launch.") && type !== "claim.confirmed")
      .map((event): Entry => {
        const { tokenMint, eventId, transactionHash, tokenMints } = event.data;
        const href = tokenMint === null ? hrefs.status(eventId) : hrefs.token(tokenMint);
        const of = { key: String(event.id), at: event.timestamp, href, mints: tokenMints };
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

function Row({ entry, action }: { entry: Entry; action: ComponentChildren }) {
  const { text, icon, tone, at, href, hash, lamports, launch } = entry;
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
      action={action}
    />
  );
}

function download(claims: readonly PaidClaim[]): void {
  const rows = claims.map(({ claimedAt, ticker, tokenMint, claimedLamports: paid, ...of }) =>
    [claimedAt, ticker, tokenMint, paid, formatSol(BigInt(paid)), of.transactionHash].join(","),
  );
  const text = ["time,ticker,mint,lamports,sol,transaction", ...rows, ""].join("\r\n");
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = "fees.csv";
  link.click();
  URL.revokeObjectURL(url);
}
