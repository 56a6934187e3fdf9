import { NotFoundError } from "@tokenctl/sdk";
import { useLoad } from "../data/load.ts";
import { anyone } from "../data/network.ts";
import { Copy, Outside } from "../parts/format.tsx";
import { Ready } from "../parts/states.tsx";
import { Share, TokenFacts } from "../parts/token-facts.tsx";
import { TokenImage } from "../parts/token-image.tsx";
import { Empty } from "../parts/ui.tsx";
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
            <TokenImage ticker={symbol} seed={mint} url={image} size={160} />
            <div class="about">
              <h1>{symbol}</h1>
              <div class="soft name" title={name}>
                {name}
              </div>
              {description !== "" && <p class="description">{description}</p>}
              <Links {...{ website, twitter, telegram }} />
              <div class="line">
                <Share path={hrefs.shared(mint)} ticker={symbol} />
                <span class="address">
                  <span class="soft">
                    Mint {mint.slice(0, 4)}…{mint.slice(-4)}
                  </span>
                  <Copy text={mint} />
                </span>
              </div>
            </div>
          </section>
          <TokenFacts mint={mint} />
        </>
      )}
    </Ready>
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
