import type { TokenMetadata } from "@tokenctl/sdk";
import type { ShownToken } from "@tokenctl/shared/page-facts";
import type { ComponentChildren } from "preact";
import { BASE, hrefs } from "../data/page.ts";
import { Copy, Name, Outside, SolNumber, Time } from "./format.tsx";
import { CurveBar } from "./market.tsx";

export function TokenCard(props: {
  readonly about: Omit<TokenMetadata, "image" | "creator"> & {
    readonly image?: string | null | undefined;
  };
  readonly seed: string;
  readonly heading: ComponentChildren;
  readonly facts?: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  const { about, seed, heading, facts, children } = props;
  const { symbol, name, image, description } = about;
  const named = [
    ["Website", about.website],
    ["X", about.twitter],
    ["Telegram", about.telegram],
  ] as const;
  // The server refuses other URLs, but a public page does not rely on that.
  const safe = named.filter(([, url]) => url !== undefined && /^https?:\/\//.test(url));
  return (
    <section class="card shared">
      <TokenImage ticker={symbol} seed={seed} url={image} size={96} />
      <div class="called">
        {heading}
        <Name text={name} kind="clip soft" />
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

/**
 * Shows a token's image if this service stores it: the page loads nothing from other hosts.
 * Otherwise shows the ticker's first letters on a colour derived from the mint.
 */
export function TokenImage(props: {
  readonly ticker: string;
  /** The mint, which determines the colour. */
  readonly seed: string;
  readonly url?: string | null | undefined;
  readonly size?: number;
}) {
  const { ticker, seed, url, size = 44 } = props;
  const own = ownImage(url, size);
  if (own !== null) {
    return <img class="token-image" src={own} alt="" width={size} height={size} loading="lazy" />;
  }
  const hue = [...seed].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);
  return (
    <svg class="token-image" viewBox="0 0 40 40" width={size} height={size} aria-hidden="true">
      <rect width="40" height="40" fill={`hsl(${hue} 45% 30%)`} />
      <circle cx="32" cy="6" r="20" fill={`hsl(${(hue + 40) % 360} 55% 40%)`} />
      <text x="20" y="25.5" text-anchor="middle" font-size="15" font-weight="700" fill="#fff">
        {ticker.slice(0, 2)}
      </text>
    </svg>
  );
}

/** Returns the URL of an image in this service or in the browser itself; otherwise null. */
function ownImage(url: string | null | undefined, size: number): string | null {
  if (url?.startsWith("blob:")) return url;
  const path = /\/(images\/[0-9a-f]{64}(?:\.\w+)?)$/.exec(url ?? "")?.[1];
  if (path === undefined) return null;
  return `${BASE.pathname}${path}?size=${size <= 48 ? 96 : 256}`;
}

export function TokenList({ tokens }: { tokens: readonly ShownToken[] }) {
  return (
    <ul class="tiles">
      {tokens.map(({ tokenMint, ticker, tokenName, imageUrl, market, deployedAt }) => (
        <li key={tokenMint}>
          <a class="tile" href={hrefs.shared(tokenMint)}>
            <TokenImage ticker={ticker} seed={tokenMint} url={imageUrl} size={56} />
            <span class="names">
              <strong class="clip">{ticker}</strong>
              <Name text={tokenName} kind="clip soft" />
              <span class="sub">
                <Time iso={deployedAt} />
              </span>
            </span>
            {market && (
              <span class="numbers">
                <span>
                  <span class="label">Market cap</span> <SolNumber value={market.marketCapSOL} />
                </span>
                <CurveBar market={market} />
              </span>
            )}
          </a>
        </li>
      ))}
    </ul>
  );
}

export function Share({ path, ticker }: { path: string; ticker: string }) {
  const url = new URL(path, location.href).href;
  const [to, text] = [encodeURIComponent(url), encodeURIComponent(`${ticker}: `)];
  const embed = `<a href="${url}"><img src="${url}/card.png" width="600" alt="${ticker}"></a>`;
  return (
    <div class="line share">
      <Copy isNamed text={url} name="Copy link" />
      <Outside kind="button" href={`https://x.com/intent/post?text=${text}&url=${to}`}>
        Post on X
      </Outside>
      <Outside kind="button" href={`https://t.me/share/url?url=${to}&text=${text}`}>
        Telegram
      </Outside>
      <details>
        <summary>QR code, embed</summary>
        <img
          width="160"
          height="160"
          src={`${path}/qr.svg`}
          alt={`QR code of ${url}`}
          loading="lazy"
        />
        <Copy isNamed text={embed} name="Copy HTML" />
      </details>
    </div>
  );
}
