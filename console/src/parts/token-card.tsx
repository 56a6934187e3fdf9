import type { Market, TokenMetadata } from "@tokenctl/sdk";
import type { ComponentChildren } from "preact";
import { percent } from "../data/numbers.ts";
import { Outside, SolNumber } from "./format.tsx";
import { TokenImage } from "./token-image.tsx";
import { Stat } from "./ui.tsx";

/** Shows a token as buyers first see it. */
export function TokenCard(props: {
  readonly symbol: string;
  readonly name: string;
  readonly image?: string | null | undefined;
  readonly seed: string;
  readonly description: string;
  readonly links: Pick<TokenMetadata, "website" | "twitter" | "telegram">;
  readonly heading: ComponentChildren;
  /** The token's market value, above its description. */
  readonly facts?: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  const { symbol, name, image, seed, description, links, heading, facts, children } = props;
  const named = [
    ["Website", links.website],
    ["X", links.twitter],
    ["Telegram", links.telegram],
  ] as const;
  // The server refuses other URLs, but a public page does not rely on that.
  const safe = named.filter(([, url]) => url !== undefined && /^https?:\/\//.test(url));
  return (
    <section class="card shared">
      <TokenImage ticker={symbol} seed={seed} url={image} size={96} />
      <div class="called">
        {heading}
        <div class="soft name" dir="auto" title={name}>
          {name}
        </div>
      </div>
      <div class="about">
        {facts}
        {description !== "" && (
          <p class="description" dir="auto">
            {description}
          </p>
        )}
        {safe.length > 0 && (
          <div class="line links">
            {safe.map(([text, url = ""]) => (
              <Outside key={text} href={url}>
                {text}
              </Outside>
            ))}
          </div>
        )}
        {children}
      </div>
    </section>
  );
}

export function Worth(props: {
  readonly market: Pick<Market, "priceSOL" | "marketCapSOL"> | null;
  /** Change in 24 hours, for example 0.1 for 10 %; null if unknown. */
  readonly change: number | null;
}) {
  const { market, change } = props;
  const tone = (change ?? 0) < 0 ? "bad" : change ? "good" : "soft";
  return (
    <div class="beside worth">
      <Stat label="Price">{market ? <SolNumber value={market.priceSOL} /> : "not read yet"}</Stat>
      <Stat label="Market cap">{market ? <SolNumber value={market.marketCapSOL} /> : "–"}</Stat>
      <Stat label="24 h">
        <span class={tone}>{change === null ? "–" : percent(change)}</span>
      </Stat>
    </div>
  );
}
