import type { ComponentChildren } from "preact";
import { BASE } from "../data/base.ts";
import { Name } from "./format.tsx";

/**
 * Shows a token's image if this service stores it: the page loads nothing from other hosts.
 * Otherwise shows the ticker's first letters on a colour derived from the mint.
 */
export function TokenImage(props: {
  readonly ticker: string;
  /** The mint, which determines the colour. */
  readonly seed: string;
  readonly url?: string | null | undefined;
  /** Width and height in pixels. */
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

/** Shows a token's image, ticker and name at the top of its screen. */
export function TokenHead(
  props: Parameters<typeof TokenImage>[0] & {
    readonly name: string;
    readonly badge?: ComponentChildren;
    readonly children?: ComponentChildren;
  },
) {
  const { name, badge, children, ...image } = props;
  return (
    <div class="token-head">
      <TokenImage {...image} />
      <div class="main">
        <h1 class="line">
          {image.ticker} {badge}
        </h1>
        <Name text={name} kind="clip soft" />
      </div>
      {children}
    </div>
  );
}

/** Returns the URL of an image in this service or in the browser itself; otherwise null. */
function ownImage(url: string | null | undefined, size: number): string | null {
  if (url?.startsWith("blob:")) return url;
  const path = /\/(images\/[0-9a-f]{64}(?:\.\w+)?)$/.exec(url ?? "")?.[1];
  if (path === undefined) return null;
  return `${BASE.pathname}${path}?size=${size <= 48 ? 96 : 256}`;
}
