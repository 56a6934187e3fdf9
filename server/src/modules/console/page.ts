import {
  type Brand,
  COIN_PATH,
  type PageFacts,
  type ShownToken,
  START_TITLE,
  shortNumber,
} from "@tokenctl/shared/page-facts";

export interface ConsoleBuild {
  /** The names of the files that each page loads first. */
  readonly script: string;
  readonly style: string;
  readonly files: Readonly<Record<string, string>>;
}

export interface PageHead {
  readonly title: string;
  readonly description: string;
  readonly url: string;
  readonly card?: { readonly url: string; readonly alt: string };
}

interface Page {
  readonly build: ConsoleBuild;
  /** The path from the page to the service, for example `../`: a proxy may add a prefix. */
  readonly up: string;
  readonly head: PageHead;
  readonly facts: PageFacts;
  /** Shown until the script runs, or if it does not. */
  readonly inner: string;
  readonly isScripted: boolean;
}

const text = (value: string) => Bun.escapeHTML(value);
/** Within a script's element only `<` could end it. */
const data = (value: unknown) => JSON.stringify(value).replaceAll("<", "\\u003c");

/** Writes the tags of https://ogp.me and X's cards, schema.org's JSON-LD, and the facts. */
export function pageHtml({ build, up, head, facts, inner, isScripted }: Page): string {
  const { title, description, url, card } = head;
  const { brand } = facts;
  const metas = [
    ["name", "description", description],
    ["name", "twitter:card", card ? "summary_large_image" : "summary"],
    ["property", "og:type", "website"],
    ["property", "og:site_name", brand.name],
    ["property", "og:title", title],
    ["property", "og:description", description],
    ["property", "og:url", url],
    ...(card
      ? [
          ["property", "og:image", card.url],
          ["property", "og:image:width", "1200"],
          ["property", "og:image:height", "630"],
          ["property", "og:image:alt", card.alt],
        ]
      : []),
  ].map(([kind, key, value = ""]) => `<meta ${kind}="${key}" content="${text(value)}">`);
  const about = {
    "@context": "https://schema.org",
    "@type": "WebPage",
    name: title,
    description,
    url,
    ...(card && { image: card.url }),
    isPartOf: { "@type": "WebSite", name: brand.name },
  };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${text(title)}</title>
${metas.join("\n")}
<link rel="canonical" href="${text(url)}">
<link rel="icon" href="${up}${brand.hasLogo ? "icon.png" : "favicon.svg"}">
<link rel="apple-touch-icon" href="${up}icon.png">
<link rel="manifest" href="${up}manifest.webmanifest">
<meta name="theme-color" content="#f6f7f6" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#0c0f0e" media="(prefers-color-scheme: dark)">
<link rel="stylesheet" href="${up}assets/${build.style}">
<link rel="stylesheet" href="${up}assets/brand.css">
${isScripted ? `<script type="module" src="${up}assets/${build.script}"></script>` : ""}
<script type="application/ld+json">${data(about)}</script>
</head>
<body>
<div id="root">${frameInHtml(brand, up, inner)}</div>
${isScripted ? `<script type="application/json" id="facts">${data(facts)}</script>` : ""}
</body>
</html>
`;
}

/** Scripts, styles and requests stay on this origin. Pictures come from it or were just chosen. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' blob: data:",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

function frameInHtml({ name, pages, version }: Brand, up: string, inner: string): string {
  const ends = pages.map((page) => {
    const href = page.href.includes(":") ? page.href : up + page.href;
    return `<a href="${text(href)}">${page.name}</a>`;
  });
  return `<header><a class="brand" href="${up || "./"}">${text(name)}</a></header><main id="main">${inner}</main><footer><span><strong>${text(name)}</strong> ${version}</span>${ends.join("")}</footer>`;
}

/** Writes what the page shows before its script runs: a heading, facts, and links for crawlers. */
export function factsInHtml(facts: PageFacts, up: string): string {
  const { token, start, agent } = facts;
  if (token) {
    const { about, market, token: origin } = token;
    const rows = [
      ["Price", market && `${shortNumber(market.priceSOL)} SOL`],
      ["Market cap", market && `${shortNumber(market.marketCapSOL)} SOL`],
      [
        "On its curve",
        market && `${shortNumber(market.raisedSOL)} of ${shortNumber(market.graduationSOL)} SOL`,
      ],
      ["Mint", origin.tokenMint],
      ["Launched by", origin.creator],
      ["Launched", origin.deployedAt.slice(0, 10)],
    ];
    return `<section class="card"><h1 dir="auto">${text(about.symbol)}</h1><p class="soft clip" dir="auto">${text(about.name)}</p><p class="description" dir="auto">${text(about.description)}</p>${list(rows)}</section>`;
  }
  if (agent) {
    const rows = [
      ["Wallet", agent.wallet],
      ["Earned", `${shortNumber(agent.earnedSOL)} SOL`],
    ];
    return `<section class="card"><h1>An agent and its tokens</h1>${list(rows)}${links(agent.tokens, up)}</section>`;
  }
  if (start)
    return `<h1>${START_TITLE}</h1><p>${START_TEXT}</p><section class="card">${links(start.tokens, up)}</section>`;
  return `<section class="card"><h1>There is no such token</h1></section>`;
}

const START_TEXT =
  "An agent signs in with its wallet and asks for a token. The service puts it on a bonding curve on Solana, and the creator's fees of each trade wait on chain until the agent claims them.";

const list = (rows: readonly (readonly (string | null)[])[]) =>
  `<dl>${rows.map(([name = "", value]) => (value ? `<dt>${name}</dt><dd>${shown(value)}</dd>` : "")).join("")}</dl>`;

const shown = (value: string) =>
  /^\w{32,44}$/.test(value) ? `<code>${value}</code>` : text(value);

const links = (tokens: readonly ShownToken[], up: string) =>
  `<ul>${tokens.map((token) => `<li><a href="${up}t/${token.tokenMint}" dir="auto">${text(`${token.ticker}: ${token.tokenName}`)}</a></li>`).join("")}</ul>`;

const GREEN = "#08734d";

export const favicon = (color: string | null) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 -2 20 20"><rect x="-2" y="-2" width="20" height="20" rx="4" fill="${color ?? GREEN}"/><path d="${COIN_PATH}" fill="none" stroke="#fff" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

/** The web application manifest (https://www.w3.org/TR/appmanifest/). */
export const manifest = ({ name, hasLogo }: Brand, color: string | null) =>
  JSON.stringify({
    name,
    short_name: name,
    start_url: "./",
    display: "minimal-ui",
    background_color: "#f6f7f6",
    theme_color: color ?? GREEN,
    icons: [
      { src: "icon.png", sizes: "256x256", type: "image/png" },
      ...(hasLogo ? [] : [{ src: "favicon.svg", sizes: "any", type: "image/svg+xml" }]),
    ],
  });

/** Keeps the operator's hue, with the lightness of `tokens.css`, so that text stays readable. */
export const brandStyle = (color: string | null) =>
  color === null
    ? ""
    : `:root{--accent:light-dark(oklch(from ${color} min(l, .48) c h),oklch(from ${color} max(l, .8) min(c, .15) h));--accent-soft:light-dark(oklch(from ${color} .95 min(c, .04) h),oklch(from ${color} .25 min(c, .05) h))}`;
