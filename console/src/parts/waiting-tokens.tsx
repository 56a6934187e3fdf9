import type { Token } from "@tokenctl/sdk";
import { useLoad } from "../data/load.ts";
import { useTicks } from "../data/news.ts";
import { useSession } from "../data/session.ts";
import { useWork } from "./field-form.tsx";
import { Address } from "./format.tsx";
import { notice } from "./notices.tsx";
import { usePart } from "./together.tsx";
import { TokenImage } from "./token-image.tsx";
import { Button, Card, Item } from "./ui.tsx";

/** The tokens that others have handed over to the wallet, until it accepts or declines them. */
export function WaitingTokens({ onAccepted }: { readonly onAccepted: () => void }) {
  const { client } = useSession();
  const ticks = useTicks();
  const waiting = useLoad((signal) => client.waitingTokens({ signal }), [client, ticks]);
  usePart(waiting.data === null && waiting.error === null);
  const tokens = waiting.data?.tokens ?? [];
  if (tokens.length === 0) return null;
  return (
    <Card title="Handed over to you">
      <p class="soft">
        These wait for your answer. Anyone can hand a token over, under any name: check who launched
        it. You get its fees either way.
      </p>
      <ul>
        {tokens.map((token) => (
          <Row
            key={token.tokenMint}
            token={token}
            onAnswered={(isAccepted) => {
              waiting.reload();
              if (isAccepted) onAccepted();
            }}
          />
        ))}
      </ul>
    </Card>
  );
}

function Row(props: { readonly token: Token; readonly onAnswered: (isAccepted: boolean) => void }) {
  const { token, onAnswered } = props;
  const { ticker, tokenName, tokenMint, launchedBy } = token;
  const { client } = useSession();
  const { isBusy, problem, run } = useWork();
  const answer = async (isAccepted: boolean) => {
    await (isAccepted ? client.acceptToken(tokenMint) : client.declineToken(tokenMint));
    notice(`${ticker} is ${isAccepted ? "among your tokens" : "declined"}`);
    onAnswered(isAccepted);
  };
  return (
    <Item
      lead={<TokenImage ticker={ticker} seed={tokenMint} url={undefined} />}
      title={<span class="clip">{ticker}</span>}
      sub={
        <>
          <span class="clip" dir="auto" title={tokenName}>
            {tokenName}
          </span>
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
        <>
          <Button
            isBusy={isBusy}
            aria-label={`Accept ${ticker}`}
            onClick={() => void run(() => answer(true))}
          >
            Accept
          </Button>
          <Button
            kind="quiet"
            isBusy={isBusy}
            aria-label={`Decline ${ticker}`}
            onClick={() => void run(() => answer(false))}
          >
            Decline
          </Button>
        </>
      }
    />
  );
}
