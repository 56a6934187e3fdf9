import {
  type Brand,
  type PageFacts,
  START_TITLE,
  TOKEN_ORDERS,
  type TokenFacts,
} from "@tokenctl/shared/page-facts";
import { Elysia, NotFoundError } from "elysia";
import { BoundedMap, SharedRead } from "../../base/cache.ts";
import type { Clock } from "../../base/clock.ts";
import type { AddressLimit, ShareAddress } from "../../http/admit.ts";
import type { AnswerHeaders } from "../../http/headers.ts";
import { ServedFile } from "../../http/served-file.ts";
import {
  brandStyle,
  type ConsoleBuild,
  factsInHtml,
  favicon,
  manifest,
  PAGE_POLICY,
  type PageHead,
  pageHtml,
} from "./page.ts";
import { OF_PAGE, type PublicPages } from "./public-pages.ts";
import { sectionsInHtml, type WordsPage, type WordsReads } from "./words.ts";

export interface ConsoleDeps {
  readonly load: () => Promise<ConsoleBuild>;
  readonly reads: PublicPages;
  readonly cards: { read(mint: string, address: string | null): Promise<Uint8Array> };
  readonly brand: Brand;
  /** For example `#08734d`. */
  readonly color: string | null;
  /** Returns a PNG of the operator's logo, otherwise of this drawing. */
  drawIcon(svg: string): Promise<{ readonly bytes: Uint8Array }>;
  readonly words: ReadonlyMap<string, WordsPage>;
  readonly wordsReads: WordsReads;
  readonly publicUrl: () => string;
  readonly clock: Clock;
  readonly spend: AddressLimit;
  readonly addressOf: ShareAddress;
}

/** How long a page is kept, in milliseconds: prices are read at most every five seconds. */
const KEPT_MS = 5_000;
/** The most pages that are kept, each about 10 KB. */
const MOST_KEPT = 500;
const MOST_IN_SITEMAP = 5_000;
const LAST_PAGE = 400;

interface MadePage {
  readonly file: ServedFile;
  readonly status: number;
}

/** Serves pages to browsers, crawlers and link previews, each with its facts inside. */
export function consoleRoutes(deps: ConsoleDeps) {
  const { load, reads, cards, brand, color, words, publicUrl, clock, spend, addressOf } = deps;
  const read = async () => {
    const build = await load();
    return { build, served: servedFiles(build) };
  };
  const built = new SharedRead(read, Number.POSITIVE_INFINITY, clock);
  const svg = favicon(color);
  const [iconFile, styleFile] = [
    new ServedFile(svg, "image/svg+xml"),
    new ServedFile(brandStyle(color), "text/css; charset=utf-8"),
  ];
  const icon = new SharedRead(() => deps.drawIcon(svg), Number.POSITIVE_INFINITY, clock);
  const mints = new SharedRead(() => reads.mints(MOST_IN_SITEMAP), KEPT_MS, clock);
  const kept = new BoundedMap<string, SharedRead<MadePage>>(MOST_KEPT);

  async function make(
    up: string,
    read: () => Promise<readonly [PageHead, Omit<PageFacts, "brand">, inner?: string] | null>,
  ): Promise<MadePage> {
    const { build } = await built.get();
    const found = await read();
    const head = found?.[0] ?? { ...NOTHING, url: publicUrl() };
    const facts = { brand, ...found?.[1] };
    const inner = found?.[2] ?? factsInHtml(facts, up);
    const isScripted = found?.[2] === undefined;
    const html = pageHtml({ build, up, head, facts, inner, isScripted });
    return { file: new ServedFile(html, HTML), status: found === null ? 404 : 200 };
  }

  function pageAt(path: string, ...from: Parameters<typeof make>): Promise<MadePage> {
    return kept.getOrMake(path, () => new SharedRead(() => make(...from), KEPT_MS, clock)).get();
  }

  async function answer(request: Request, headers: AnswerHeaders, page: () => Promise<MadePage>) {
    const { file, status } = await page();
    Object.assign(headers, PAGE_HEADERS);
    return await file.answer(request, headers, status);
  }

  const detail = { hide: true };
  const inWords = new Elysia({ detail });
  for (const [path, { title, sections }] of words) {
    inWords.get(`/${path}`, ({ request, set }) =>
      answer(request, set.headers, () =>
        pageAt(path, "", async () => {
          const inner = sectionsInHtml(title, await sections(deps.wordsReads));
          const name = `${title} of ${brand.name}`;
          return [{ title: name, description: name, url: `${publicUrl()}/${path}` }, {}, inner];
        }),
      ),
    );
  }
  return inWords
    .get("/", ({ request, set }) =>
      answer(request, set.headers, () =>
        pageAt("/", "", async () => {
          const title = `${brand.name}: tokens that agents launch on Solana`;
          return [
            { title, description: START_TITLE, url: publicUrl() },
            { start: await reads.start() },
          ];
        }),
      ),
    )
    .get("/t/:mintAddress", ({ request, params: { mintAddress }, set }) => {
      spend(request);
      return answer(request, set.headers, () =>
        pageAt(`/t/${mintAddress}`, "../", async () => {
          const token = await reads.token(mintAddress);
          return token && [tokenHead(token, publicUrl()), { token }];
        }),
      );
    })
    .get("/t/:mintAddress/card.png", async ({ request, params }) => {
      spend(request);
      const card = await cards.read(params.mintAddress, addressOf(request));
      const headers = {
        "content-type": "image/png",
        "cache-control": "public, max-age=600",
        // Other sites embed it.
        "cross-origin-resource-policy": "cross-origin",
      };
      return new Response(new Uint8Array(card), { headers });
    })
    .get("/t/:mintAddress/qr.svg", async ({ request, params, set }) => {
      spend(request);
      if (!MINT.test(params.mintAddress)) throw new NotFoundError();
      const { encodeQR } = await import("qr");
      Object.assign(set.headers, SVG_HEADERS);
      return encodeQR(`${publicUrl()}/t/${params.mintAddress}`, "svg");
    })
    .get("/a/:wallet", ({ request, params: { wallet }, set }) => {
      spend(request);
      return answer(request, set.headers, () =>
        pageAt(`/a/${wallet}`, "../", async () => {
          const agent = await reads.agent(wallet);
          if (agent === null) return null;
          const tickers = agent.tokens.map(({ ticker }) => ticker).slice(0, 5);
          const title = `Agent ${wallet.slice(0, 4)}…${wallet.slice(-4)} on ${brand.name}`;
          const description = `It launched ${tickers.join(", ")}, and earns the creator's fees of their trades.`;
          return [{ title, description, url: `${publicUrl()}/a/${wallet}` }, { agent }];
        }),
      );
    })
    .get("/t/list", ({ request, query, set }) => {
      spend(request);
      set.headers["cache-control"] = "public, max-age=10";
      const order = TOKEN_ORDERS.find((one) => one === query.order) ?? "new";
      const page = Math.min(LAST_PAGE, Math.max(0, Math.trunc(Number(query.page)) || 0));
      const search = String(query.search ?? "").slice(0, 64);
      return reads.list({ order, search, offset: page * OF_PAGE }, addressOf(request));
    })
    .get("/assets/:file", async ({ request, params, set }) => {
      const { served } = await built.get();
      if (params.file === "brand.css") return await styleFile.answer(request, set.headers);
      const file = served.get(params.file);
      if (!file) throw new NotFoundError();
      set.headers["cache-control"] = "public, max-age=31536000, immutable";
      return await file.answer(request, set.headers);
    })
    .get("/favicon.svg", ({ request, set }) => {
      Object.assign(set.headers, SVG_HEADERS);
      return iconFile.answer(request, set.headers);
    })
    .get("/icon.png", async () => {
      const headers = { "content-type": "image/png", "cache-control": "public, max-age=86400" };
      return new Response(new Uint8Array((await icon.get()).bytes), { headers });
    })
    .get("/manifest.webmanifest", ({ set }) => {
      set.headers["cache-control"] = "public, max-age=86400";
      set.headers["content-type"] = "application/manifest+json";
      return manifest(brand, color);
    })
    .get("/robots.txt", ({ set }) => {
      set.headers["content-type"] = "text/plain; charset=utf-8";
      return `User-agent: *\nAllow: /\nDisallow: /api/\n\nSitemap: ${publicUrl()}/sitemap.xml\n`;
    })
    .get("/sitemap.xml", async ({ request, set }) => {
      spend(request);
      set.headers["content-type"] = "application/xml; charset=utf-8";
      set.headers["cache-control"] = "public, max-age=3600";
      const urls = [publicUrl(), ...(await mints.get()).map((mint) => `${publicUrl()}/t/${mint}`)];
      const entries = urls.map((url) => `<url><loc>${Bun.escapeHTML(url)}</loc></url>`);
      return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${entries.join("\n")}\n</urlset>\n`;
    });
}

const MINT = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

const SVG_HEADERS = {
  "content-type": "image/svg+xml",
  "cache-control": "public, max-age=86400",
  "content-security-policy": "default-src 'none'; sandbox",
} as const;

const NOTHING = { title: "Not found", description: "This service has nothing at this address" };

function tokenHead({ token, about, market }: TokenFacts, publicUrl: string): PageHead {
  const { tokenMint } = token;
  const title = `${about.name} (${about.symbol})`;
  const worth = market ? `Market cap ${Number(market.marketCapSOL.toPrecision(4))} SOL. ` : "";
  const description =
    worth + (about.description || `${about.symbol}, a token launched by an agent on Solana`);
  const url = `${publicUrl}/t/${tokenMint}`;
  const card = { url: `${url}/card.png`, alt: `${title}, ${worth}`.replace(/[., ]+$/, "") };
  return { title, description, url, card };
}

function servedFiles({ files }: ConsoleBuild): ReadonlyMap<string, ServedFile> {
  const typed = Object.entries(files).map(([name, content]) => {
    const type = name.endsWith(".css") ? "text/css" : "text/javascript";
    return [name, new ServedFile(content, `${type}; charset=utf-8`)] as const;
  });
  return new Map(typed);
}

const HTML = "text/html; charset=utf-8";

const PAGE_HEADERS = {
  "content-security-policy": PAGE_POLICY,
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  // Makes the browser ask each time; the answer is 304 if nothing has changed.
  "cache-control": "no-cache",
} as const;

const NOT_BUILT: ConsoleBuild = { script: "not-built.js", style: "not-built.css", files: {} };

/** Reads the console from the binary. From the sources, it exists after a build. */
export async function loadConsole(): Promise<ConsoleBuild> {
  try {
    return (await import("../../../../console/dist/console.json")).default;
  } catch {
    return NOT_BUILT;
  }
}
