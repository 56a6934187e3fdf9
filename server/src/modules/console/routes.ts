import { Elysia, NotFoundError } from "elysia";
import type { AddressLimit } from "../../http/admit.ts";
import { type AnswerHeaders, addItem } from "../../http/headers.ts";
import { ServedFile } from "../../http/served-file.ts";
import type { Store } from "../../store/store.ts";
import type { ListedToken, TokenMetadata } from "../../store/tokens.ts";

/** The page that people see, as its build made it. */
export interface ConsolePage {
  readonly html: string;
  readonly policy: string;
}

type PreviewedToken = Pick<TokenMetadata, "name" | "ticker" | "description" | "imageUrl">;

export interface ConsoleDeps {
  readonly load: () => Promise<ConsolePage>;
  readonly tokens: Pick<Store["tokens"], "metadata" | "latest">;
  /** Whether the latest tokens of all agents are not shown. */
  readonly isPrivate: boolean;
  /** The server's address, as others know it. */
  readonly publicUrl: () => string;
  readonly spend: AddressLimit;
}

/**
 * Serves the console to browsers: at `/`, and at `/t/<mint>` with what a preview of a link shows of the
 * token. Programs that ask for JSON alone get the 404 of an unknown path.
 */
export function consoleRoutes({ load, tokens, isPrivate, publicUrl, spend }: ConsoleDeps) {
  let page: Promise<ConsolePage & { readonly file: ServedFile }> | null = null;
  const read = (request: Request, headers: AnswerHeaders) => {
    if (asksForJson(request)) throw new NotFoundError();
    addItem(headers, "vary", "Accept");
    page ??= load().then((built) => ({ ...built, file: new ServedFile(built.html, HTML) }));
    return page;
  };
  return new Elysia()
    .get(
      "/",
      async ({ request, set }) => {
        const { file, policy } = await read(request, set.headers);
        Object.assign(set.headers, pageHeaders(policy));
        return await file.answer(request, set.headers);
      },
      { detail: { hide: true } },
    )
    .get(
      "/t/latest",
      async ({ request, set }) => {
        spend(request, set.headers);
        set.headers["cache-control"] = LATEST_CACHE;
        return { tokens: isPrivate ? [] : (await tokens.latest(LATEST)).map(latestRecord) };
      },
      { detail: { hide: true } },
    )
    .get(
      "/t/:mintAddress",
      async ({ request, params, set }) => {
        const { html, file, policy } = await read(request, set.headers);
        spend(request, set.headers);
        const token = await tokens.metadata(params.mintAddress);
        Object.assign(set.headers, pageHeaders(policy));
        if (token?.status !== "success" || token.isHidden) {
          const { headers, body } = await file.answer(new Request(request.url), set.headers);
          delete set.headers.etag;
          return new Response(body, { status: 404, headers });
        }
        const preview = previewOf(token, `${publicUrl()}/t/${params.mintAddress}`);
        const own = html.replace(/<title>.*?<\/title>/, () => preview);
        return await new ServedFile(own, HTML).answer(request, set.headers);
      },
      { detail: { hide: true } },
    );
}

/** Crawlers and previews of links send any or no `Accept`, and read HTML. */
function asksForJson({ headers }: Request): boolean {
  const accept = headers.get("accept") ?? "";
  return accept.includes("json") && !accept.includes("text/html");
}

const HTML = "text/html; charset=utf-8";

const LATEST = 12;
const LATEST_CACHE = "public, max-age=15";

const latestRecord = (token: ListedToken) => ({
  tokenMint: token.tokenMint,
  ticker: token.ticker,
  tokenName: token.name,
  imageUrl: token.imageUrl,
  deployedAt: new Date(token.deployedAt).toISOString(),
});

const pageHeaders = (policy: string) => ({
  "content-security-policy": policy,
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  // The browser asks each time whether there is a new one, and is answered 304.
  "cache-control": "no-cache",
});

/** @returns the title of a token's page, and what the Open Graph protocol (https://ogp.me) tells previews */
function previewOf({ name, ticker, description, imageUrl }: PreviewedToken, url: string): string {
  const title = `${name} (${ticker})`;
  const text = description ?? `${ticker}, a token launched by an agent on Solana`;
  const image = imageUrl?.startsWith("http") ? imageUrl : null;
  const facts = [
    ["name", "description", text],
    ["name", "twitter:card", "summary"],
    ["property", "og:type", "website"],
    ["property", "og:title", title],
    ["property", "og:description", text],
    ["property", "og:url", url],
    ...(image === null ? [] : [["property", "og:image", image]]),
  ];
  const metas = facts.map(
    ([kind, key, value = ""]) => `<meta ${kind}="${key}" content="${Bun.escapeHTML(value)}">`,
  );
  return [`<title>${Bun.escapeHTML(title)}</title>`, ...metas].join("\n");
}

const NOT_BUILT: ConsolePage = {
  html: "<!doctype html><html lang=en><title>tokend</title><p>The console is not built: run <code>bun run build</code>.",
  policy: "default-src 'none'; frame-ancestors 'none'",
};

/** Reads the console, which is inside the binary; from the sources it is there after a build. */
export async function loadConsole(): Promise<ConsolePage> {
  try {
    return (await import("../../../../console/dist/console.json")).default;
  } catch {
    return NOT_BUILT;
  }
}
