import { NotFoundError } from "@tokenctl/sdk";
import { useLoad } from "../data/load.ts";
import { anyone, explorerLink, network } from "../data/network.ts";
import { useShared } from "../data/shared.ts";
import { Code } from "../parts/code.tsx";
import { CopyButton, Outside } from "../parts/format.tsx";
import { TokenMarket } from "../parts/market.tsx";
import { Ready } from "../parts/states.tsx";
import { Share, TokenFacts } from "../parts/token-facts.tsx";
import { TokenImage } from "../parts/token-image.tsx";
import { Card, Empty } from "../parts/ui.tsx";
import { hrefs } from "../router.ts";

/** A token's page for anyone, without sign-in. */
export function SharedToken({ mint }: { readonly mint: string }) {
  const metadata = useLoad((signal) => anyone.metadata(mint, { signal }), [mint]);
  if (metadata.error instanceof NotFoundError) {
    return (
      <section class="card">
        <h1 class="for-readers">Unknown token</h1>
        <Empty title="This service has launched no such token">
          <p>Check the address: it ends with the mint of a token.</p>
          <a class="button" href={hrefs.tokens}>
            To the start
          </a>
        </Empty>
      </section>
    );
  }
  return (
    <Ready of={metadata} what="the token" lines={5}>
      {({ name, symbol, description, image, website, twitter, telegram }) => (
        <>
          <section class="card shared">
            <TokenImage ticker={symbol} seed={mint} url={image} size={144} />
            <div class="called">
              <h1>{symbol}</h1>
              <div class="soft name" dir="auto" title={name}>
                {name}
              </div>
            </div>
            <div class="about">
              {description !== "" && (
                <p class="description" dir="auto">
                  {description}
                </p>
              )}
              <Links {...{ website, twitter, telegram }} />
              <div class="line">
                <CopyButton text={mint} name="Copy mint" />
                <Share path={hrefs.shared(mint)} ticker={symbol} />
                <Explorer mint={mint} />
              </div>
            </div>
          </section>
          <div class="public">
            <div>
              <TokenMarket mint={mint} />
            </div>
            <div>
              <Trade mint={mint} />
              <TokenFacts mint={mint} />
            </div>
          </div>
        </>
      )}
    </Ready>
  );
}

function Explorer({ mint }: { readonly mint: string }) {
  useShared(network);
  const link = explorerLink("address", mint);
  if (link === null) return null;
  return (
    <a class="button" href={link} target="_blank" rel="noopener noreferrer">
      Explorer
    </a>
  );
}

/** Where the token trades: what knows a token by its mint differs from network to network. */
function Trade({ mint }: { readonly mint: string }) {
  const name = useShared(network);
  const command = `tokenctl dev trade ${mint} --sol 1`;
  if (name === null) return null;
  return (
    <Card title="Trade">
      {name === "mainnet-beta" && (
        <a
          class="button primary"
          href={`https://jup.ag/tokens/${mint}`}
          target="_blank"
          rel="noopener noreferrer"
        >
          Trade on Jupiter
        </a>
      )}
      {name === "sandbox" ? (
        <>
          <p class="soft">This is a sandbox: its agent trades with free SOL.</p>
          <Code text={command} name="Copy command" />
        </>
      ) : (
        <p class="soft">
          Any app that trades in Meteora's pools finds the token by its mint. Check the mint: a
          ticker can be imitated.
        </p>
      )}
    </Card>
  );
}

function Links(links: {
  readonly website: string | undefined;
  readonly twitter: string | undefined;
  readonly telegram: string | undefined;
}) {
  const named = [
    ["Website", links.website],
    ["X", links.twitter],
    ["Telegram", links.telegram],
  ] as const;
  // The server refuses others; a page that anyone reads does not rely on it.
  const safe = named.filter(([, url]) => url !== undefined && /^https?:\/\//.test(url));
  if (safe.length === 0) return null;
  return (
    <div class="line links">
      {safe.map(([text, url = ""]) => (
        <Outside key={text} href={url}>
          {text}
        </Outside>
      ))}
    </div>
  );
}
