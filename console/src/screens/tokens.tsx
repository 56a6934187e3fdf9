import type { ClaimRecord, Token } from "@tokenctl/sdk";
import { useState } from "preact/hooks";
import { Declined } from "../data/confirm.ts";
import { claimableOf, claimedOf, claimTogether, sum } from "../data/fees.ts";
import { useLoad } from "../data/load.ts";
import { useNews } from "../data/news.ts";
import { useSession } from "../data/session.ts";
import { Sol } from "../parts/format.tsx";
import { Empty, inWords, Loading, Problem } from "../parts/states.tsx";
import { hrefs } from "../router.ts";

/** How the claim of one token stands. */
type Progress =
  | { readonly kind: "running" | "waiting" }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly why: string };

/** The agent's tokens, what each has earned, and the buttons that claim it. */
export function Tokens() {
  const { client } = useSession();
  const news = useNews();
  const tokens = useLoad((signal) => client.tokens({ signal }), [client, news]);
  const fees = useLoad((signal) => client.claims({ signal }), [client, news]);
  const [progress, setProgress] = useState<ReadonlyMap<string, Progress>>(new Map());
  const [isClaiming, setIsClaiming] = useState(false);

  if (tokens.data === null) {
    if (tokens.error !== null) return <Problem error={tokens.error} onRetry={tokens.reload} />;
    return <Loading what="your tokens" />;
  }
  if (tokens.data.tokens.length === 0) return <NoTokens />;

  const records = new Map(fees.data?.claims.map((record) => [record.tokenMint, record]));
  const worthIt = [...records.values()].filter((record) => claimableOf(record) > 0n);

  const mark = (mints: readonly string[], state: Progress) =>
    setProgress((before) => new Map([...before, ...mints.map((mint) => [mint, state] as const)]));

  /** Claims as many at a time as fit into a transaction, until all are claimed or one is declined. */
  async function claim(wanted: readonly ClaimRecord[]) {
    setIsClaiming(true);
    setProgress(new Map(wanted.map(({ tokenMint }) => [tokenMint, { kind: "waiting" }])));
    let left = wanted;
    while (left.length > 0) {
      const next = left.slice(0, TOKENS_OF_A_CLAIM);
      const mints = next.map(({ tokenMint }) => tokenMint);
      mark(mints, { kind: "running" });
      try {
        const { tokenMints } = await claimTogether(client, next);
        mark(mints, { kind: "waiting" });
        mark(tokenMints, { kind: "done" });
        left = left.filter(({ tokenMint }) => !tokenMints.includes(tokenMint));
      } catch (error) {
        mark(mints, { kind: "failed", why: inWords(error).text });
        left = error instanceof Declined ? [] : left.filter((record) => !next.includes(record));
      }
    }
    setIsClaiming(false);
    fees.reload();
    tokens.reload();
  }

  const total = sum(worthIt.map(claimableOf));
  return (
    <>
      <div class="row">
        <h1>Tokens</h1>
        <div class="total">
          <span class="label">To claim</span> <Sol lamports={total} />
        </div>
        <button
          type="button"
          class="primary"
          disabled={isClaiming || worthIt.length === 0}
          onClick={() => void claim(worthIt)}
        >
          Claim all
        </button>
      </div>
      {fees.error !== null && <Problem error={fees.error} onRetry={fees.reload} />}
      {fees.data?.unreadable?.map(({ tokenMint, ticker, error }) => (
        <p class="banner" key={tokenMint}>
          The fees of {ticker} cannot be read: {error}
        </p>
      ))}
      {fees.data?.claims.map(
        ({ tokenMint, ticker, creatorChanged }) =>
          creatorChanged && (
            <p class="banner" key={tokenMint}>
              {creatorChanged.dbcHolder === undefined
                ? `This wallet no longer holds the position of ${ticker}, which its fees follow.`
                : `The fees of ${ticker} belong to ${creatorChanged.dbcHolder} now.`}
            </p>
          ),
      )}
      <table>
        <thead>
          <tr>
            <th scope="col">Token</th>
            <th scope="col" class="wide">
              Name
            </th>
            <th scope="col" class="number">
              To claim
            </th>
            <th scope="col" class="number wide">
              Claimed
            </th>
            <th scope="col">
              <span class="for-readers">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.data.tokens.map((token) => (
            <Row
              key={token.tokenMint}
              token={token}
              record={records.get(token.tokenMint)}
              progress={progress.get(token.tokenMint)}
              isDisabled={isClaiming}
              onClaim={(record) => void claim([record])}
            />
          ))}
        </tbody>
      </table>
    </>
  );
}

/** Tokens that are asked for at a time; the server takes as many of them as fit. */
const TOKENS_OF_A_CLAIM = 20;

interface RowProps {
  readonly token: Token;
  /** Undefined until the fees are read. */
  readonly record: ClaimRecord | undefined;
  readonly progress: Progress | undefined;
  readonly isDisabled: boolean;
  readonly onClaim: (record: ClaimRecord) => void;
}

function Row({ token, record, progress, isDisabled, onClaim }: RowProps) {
  const claimable = record ? claimableOf(record) : null;
  return (
    <tr>
      <th scope="row">
        <a href={hrefs.token(token.tokenMint)}>{token.ticker}</a>
        {record?.isMigrated && <small class="tag">migrated</small>}
      </th>
      <td class="wide">{token.tokenName}</td>
      <td class="number">{claimable === null ? "…" : <Sol lamports={claimable} />}</td>
      <td class="number wide">{record ? <Sol lamports={claimedOf(record)} /> : "…"}</td>
      <td class="action">
        {progress ? (
          <ProgressText {...progress} />
        ) : (
          record &&
          claimable !== null &&
          claimable > 0n && (
            <button
              type="button"
              disabled={isDisabled}
              aria-label={`Claim the fees of ${token.ticker}`}
              onClick={() => onClaim(record)}
            >
              Claim
            </button>
          )
        )}
      </td>
    </tr>
  );
}

function ProgressText(progress: Progress) {
  switch (progress.kind) {
    case "waiting":
      return <span class="label">waits</span>;
    case "running":
      return <span role="status">claiming …</span>;
    case "done":
      return (
        <span class="good" role="status">
          claimed
        </span>
      );
    case "failed":
      return (
        <span class="bad" role="alert">
          {progress.why}
        </span>
      );
  }
}

function NoTokens() {
  const { isSandbox } = useSession();
  return (
    <Empty>
      <h1>No tokens yet</h1>
      <p>
        {isSandbox
          ? "Launch one here: on the sandbox it takes a second and costs nothing."
          : "Launch your first one here, or let your agent do it with the SDK."}
      </p>
      <a class="button primary" href={hrefs.launch}>
        Launch a token
      </a>
    </Empty>
  );
}
